/** Takes a change of a license back: the request that puts the former values in place again. Pure. */
import type { Event, License, RequestOf, RevocationReason } from '../api/contract.ts';

/** The fields of a license that a request can put back, and the fields that name the values to replace. */
const RESTORED = {
  variant: 'wasVariant',
  licenseType: 'wasLicenseType',
  maxMachines: 'wasMaxMachines',
  maxConcurrent: 'wasMaxConcurrent',
  expiresAt: 'wasExpiresAt',
} as const;
type Restored = keyof typeof RESTORED;

/** Follows from the other fields of a license. */
const DERIVED = 'status';

type Facts = Readonly<Record<string, unknown>>;

/**
 * The request that takes a change of a license back. The service refuses it if one of the values was changed since.
 * Null if no request restores the former state.
 *
 * @param before the changed fields with their former values
 * @param after the changed fields with their new values
 */
export function undoRequest(licenseKey: string, before: Facts, after: Facts): RequestOf<'/updateLicense'> | null {
  const names = Object.keys(after).filter((name) => name !== DERIVED);
  const canRestore = (name: string) => name in RESTORED && !(name === 'maxConcurrent' && before[name] === null);
  if (names.length === 0 || !names.every(canRestore)) return null;
  const values = names.flatMap((name) => [
    [name, before[name]],
    [RESTORED[name as Restored], after[name]],
  ]);
  return { licenseKey, ...Object.fromEntries(values) };
}

/** The same for a license before and after a change. */
export function undoOfUpdate(before: License, after: License): RequestOf<'/updateLicense'> | null {
  const differing = (Object.keys(RESTORED) as Restored[]).filter((name) => before[name] !== after[name]);
  const only = (license: License) => Object.fromEntries(differing.map((name) => [name, license[name]]));
  return undoRequest(after.key, only(before), only(after));
}

/** Ends the addresses that forgetting a customer leaves. */
const FORGOTTEN = '@invalid';

/** A request that takes a recorded change back, and its effect. */
export type Undoing =
  | { readonly path: '/updateLicense'; readonly request: RequestOf<'/updateLicense'>; readonly effect: null }
  | { readonly path: '/changeEmail'; readonly request: RequestOf<'/changeEmail'>; readonly effect: string }
  | { readonly path: '/reinstateLicense'; readonly request: RequestOf<'/reinstateLicense'>; readonly effect: string };

/** The request that takes a recorded change back; null if none does. The service refuses it after another's change. */
export function undoOfEvent({
  type,
  licenseKey,
  before,
  after,
}: Pick<Event, 'type' | 'licenseKey' | 'before' | 'after'>): Undoing | null {
  if (licenseKey === null || before === null || after === null) return null;
  if (type === 'license.updated') {
    const request = undoRequest(licenseKey, before, after);
    return request && { path: '/updateLicense', request, effect: null };
  }
  if (type === 'license.email_changed') {
    const [newEmail, wasEmail] = [before.email, after.email];
    if (typeof newEmail !== 'string' || typeof wasEmail !== 'string' || newEmail.endsWith(FORGOTTEN)) return null;
    const effect = `The license gets the address ${newEmail} again`;
    return { path: '/changeEmail', request: { licenseKey, newEmail, wasEmail }, effect };
  }
  if (type !== 'license.revoked' || before.status === 'revoked' || before.revocation !== null) return null;
  const request = undoOfRevocation(licenseKey, after.revocation);
  return request && { path: '/reinstateLicense', request, effect: REINSTATED };
}

/** The effect of taking a revocation back. */
const REINSTATED =
  'The license is reinstated, and its open violations of the highest level are resolved, which cannot be undone';

const REVOCATIONS: readonly unknown[] = ['plain', 'refund', 'fraud', 'chargeback'];

/** The request that takes a revocation back. @param revocation the reason, `plain` for none */
export function undoOfRevocation(licenseKey: string, revocation: unknown): RequestOf<'/reinstateLicense'> | null {
  if (!REVOCATIONS.includes(revocation)) return null;
  return { licenseKey, wasRevocation: revocation as RevocationReason | 'plain' };
}
