/**
 * Carries over into a restored database the changes that a restore must not undo: licenses revoked since the backup,
 * keys revoked or dropped, customers forgotten. Idempotent: a change that was already carried over is skipped. Every
 * change is recorded like any other.
 */
import { revokeApiKey } from '../../access/api-keys/change.ts';
import { findApiKey } from '../../access/api-keys/store.ts';
import { revokeKey } from '../../access/console/change.ts';
import { findOperatorKey } from '../../access/console/operator-key-store.ts';
import { forgetCustomer } from '../../customers/records/change.ts';
import { dropSigningKeys } from '../../licensing/license-files/signing-keys.ts';
import { changeLicense } from '../../licensing/licenses/change.ts';
import { type License, REVOCATIONS, type Revocation, stricterRevocation } from '../../licensing/licenses/license.ts';
import { REVOCATION_REASONS, revocationOf } from '../../licensing/licenses/revocation.ts';
import { ObservedCalls } from '../../licensing/observed-calls/observed-calls.ts';
import { dropTokenKey } from '../../licensing/session-tokens/token-keys.ts';
import { ViolationTally } from '../../licensing/violations/violation-tally.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Sql, Storage } from '../../storage/contract/storage.ts';
import { type Ancestry, ancestryOf } from './ancestry.ts';
import { forgottenAddresses } from './forgotten-addresses.ts';
import { findLicenseStates, keyStates, type LicenseState, licenseStates } from './state-store.ts';

/** Numbers of carried-over changes by kind. */
export interface CarriedOver {
  readonly licenses: number;
  readonly apiKeys: number;
  readonly operatorKeys: number;
  readonly tokenKeys: number;
  readonly signingKeys: number;
  readonly customers: number;
}

/**
 * @param kept the previous database, or a later backup, of any version
 * @param origin the recorded author of the changes
 * @param tokenLifetimeMs the lifetime of session tokens in this configuration
 * @throws if `kept` belongs to another installation or is older than the restored database; nothing is changed then
 */
export async function keepRevoked(
  restored: Storage,
  kept: Sql,
  origin: Origin,
  tokenLifetimeMs: number,
): Promise<CarriedOver> {
  const ancestry = await restored.read((sql) => ancestryOf(sql, kept));
  return {
    licenses: await keepRevokedLicenses(restored, kept, origin),
    apiKeys: await keepRevokedKeys(restored, kept, origin, 'api_key'),
    operatorKeys: await keepRevokedKeys(restored, kept, origin, 'operator_key'),
    tokenKeys: await dropTokenKeys(restored, kept, origin, ancestry, tokenLifetimeMs),
    signingKeys: await dropKeysOfFiles(restored, kept, origin, ancestry),
    customers: await forgetCustomers(restored, kept, origin, ancestry),
  };
}

async function keepRevokedLicenses(restored: Storage, kept: Sql, origin: Origin): Promise<number> {
  let licenses = 0;
  for await (const page of licenseStates(kept)) {
    const revoked = page.filter(({ revocation }) => revocation !== null);
    if (revoked.length === 0) continue;
    const keys = revoked.map(({ licenseKey }) => licenseKey);
    const present = await restored.read((sql) => findLicenseStates(sql, keys));
    for (const license of revoked) {
      const was = present.get(license.licenseKey);
      if (was === undefined || stricter(was, license) === asRevocation(was.revocation)) continue;
      await restored.transaction((tx) =>
        changeLicense(tx, origin, { licenseKey: license.licenseKey, scope: { creatorId: null } }, (before) =>
          revocationAsIn(before, license, origin.now),
        ),
      );
      licenses += 1;
    }
  }
  return licenses;
}

/** A replaced key is revoked plainly where the license that replaced it does not exist. */
function asRevocation(text: string | null): Revocation | null {
  return text === 'replaced' ? 'plain' : (REVOCATIONS.find((each) => each === text) ?? null);
}

function stricter(was: LicenseState, license: LicenseState): Revocation | null {
  const [present, added] = [asRevocation(was.revocation), asRevocation(license.revocation)];
  return added === null ? present : stricterRevocation(present, added);
}

function revocationAsIn(before: License, { revocation }: LicenseState, now: number) {
  const reason = REVOCATION_REASONS.find((each) => each === revocation);
  return revocationOf(before, reason, { reportedBy: 'the database before a restore' }, now);
}

async function keepRevokedKeys(
  restored: Storage,
  kept: Sql,
  origin: Origin,
  kind: 'api_key' | 'operator_key',
): Promise<number> {
  let revoked = 0;
  const present = await restored.read((sql) => keyStates(sql, kind));
  for (const { id, isActive } of (await keyStates(kept, kind)).values()) {
    if (isActive || present.get(id)?.isActive !== true) continue;
    await restored.transaction(async (tx) => {
      if (kind === 'api_key') {
        const key = await findApiKey(tx, id);
        if (key !== undefined) await revokeApiKey(tx, origin, key);
      } else {
        const key = await findOperatorKey(tx, id);
        if (key !== undefined) await revokeKey(tx, origin, key);
      }
    });
    revoked += 1;
  }
  return revoked;
}

/** Keys that the restored database has from the backup and that the previous one dropped. Keys made since stay. */
async function goneKeys(
  restored: Storage,
  kept: Sql,
  kind: 'token_key' | 'signing_key',
  { divergedAt }: Ancestry,
): Promise<readonly string[]> {
  const there = await keyStates(kept, kind);
  // A database without any key was never served, so the absence of a key in it means nothing.
  if (there.size === 0) return [];
  const present = await restored.read((sql) => keyStates(sql, kind));
  return [...present.values()]
    .filter(({ id, createdAt }) => !there.has(id) && (divergedAt === null || createdAt < divergedAt))
    .map(({ id }) => id);
}

async function dropTokenKeys(
  restored: Storage,
  kept: Sql,
  origin: Origin,
  ancestry: Ancestry,
  tokenLifetimeMs: number,
): Promise<number> {
  const gone = await goneKeys(restored, kept, 'token_key', ancestry);
  for (const keyId of gone) await restored.transaction((tx) => dropTokenKey(tx, keyId, origin, tokenLifetimeMs));
  return gone.length;
}

async function dropKeysOfFiles(restored: Storage, kept: Sql, origin: Origin, ancestry: Ancestry): Promise<number> {
  const gone = await goneKeys(restored, kept, 'signing_key', ancestry);
  if (gone.length > 0) await restored.transaction((tx) => dropSigningKeys(tx, gone, origin.now));
  return gone.length;
}

async function forgetCustomers(restored: Storage, kept: Sql, origin: Origin, ancestry: Ancestry): Promise<number> {
  // No server is running, so no memory has to forget the customer.
  const memory = { violationTally: new ViolationTally(), observedCalls: new ObservedCalls([]) };
  let customers = 0;
  for await (const { email, pseudonym } of forgottenAddresses(restored, kept, ancestry)) {
    for (;;) {
      const forgotten = await restored.transaction((tx) => forgetCustomer(tx, origin, email, memory, pseudonym));
      if (!forgotten.isComplete) continue;
      if (forgotten.pseudonym !== null) customers += 1;
      break;
    }
  }
  return customers;
}
