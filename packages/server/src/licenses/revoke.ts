/** Revokes a locked license, for operators and for the storefront. */
import type { Tx } from '../storage/storage.ts';
import type { License } from './license.ts';
import { type RevocationReason, revoked } from './standing.ts';
import { updateLicense } from './store.ts';
import { reported } from './violation.ts';
import { saveViolations } from './violation-store.ts';

/**
 * Revokes and, with a reason, records a violation at the gravest level; twice is two records.
 *
 * @param evidence what support staff can tell the customer about it
 * @returns the license as it is now
 */
export async function revokeLocked(
  tx: Tx,
  license: License,
  reason: RevocationReason | undefined,
  evidence: Readonly<Record<string, unknown>>,
  now: number,
): Promise<License> {
  const after = revoked(license, reason);
  await updateLicense(tx, after, now);
  if (reason !== undefined) await saveViolations(tx, [reported(reason, evidence, license.licenseKey, now)]);
  return after;
}
