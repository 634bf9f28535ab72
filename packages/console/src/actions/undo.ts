/** Takes a change of a license back: the request that puts the former values in place again. Pure. */
import type { License, RequestOf } from '../api/contract.ts';

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
