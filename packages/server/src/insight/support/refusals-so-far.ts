/** Earlier refusals of a license: the machine that was refused last, and the terms that it asked for. */
import { askedTerms } from '../../licensing/client-endpoints/predicted-refusal.ts';
import type { KeptRefusal } from '../../licensing/observed-calls/kept-refusal.ts';
import { findLastRefusedMachine } from '../../licensing/observed-calls/store.ts';
import { type MachineSeen, machinesNamedIn } from '../../licensing/violations/evidence.ts';
import type { Violation } from '../../licensing/violations/violation.ts';
import { listGatheringViolations, listViolationsByIds } from '../../licensing/violations/violation-store.ts';
import type { Sql } from '../../storage/contract/storage.ts';

/** A machine, with the names that it reported. */
export interface NamedMachine {
  readonly fingerprint: string;
  readonly hostname: string | null;
}

/**
 * The machine of a license that was refused last; null if none is known. Stored refusals lag by up to a second; the
 * evidence of open violations contains the latest ones at once.
 *
 * @param detected the violations of {@link detectedViolationsOf}
 */
export async function machineRefusedLast(
  sql: Sql,
  licenseKey: string,
  detected: readonly Violation[],
): Promise<NamedMachine | null> {
  const kept = await findLastRefusedMachine(sql, licenseKey);
  const seen = machineInEvidence(detected);
  if (kept === null || (seen !== null && seen.lastSeen > kept.lastAt))
    return seen && { fingerprint: seen.fingerprint, hostname: seen.hostname ?? null };
  return { fingerprint: kept.fingerprint, hostname: kept.hostname };
}

/**
 * The build, the features and the use of the newest refusal, if it was refused for them. An older one may come from
 * another version of the app.
 */
export function termsRefusedLast(refusals: readonly KeptRefusal[]) {
  const newest = refusals.reduce<KeptRefusal | null>(
    (last, each) => (last !== null && last.lastAt >= each.lastAt ? last : each),
    null,
  );
  return askedTerms(newest?.details ?? null);
}

/** The open violations that the service detected, with their evidence: at most one per type. */
export async function detectedViolationsOf(sql: Sql, licenseKey: string): Promise<readonly Violation[]> {
  const gathering = await listGatheringViolations(sql, [licenseKey]);
  return gathering.length === 0 ? [] : listViolationsByIds(sql, gathering);
}

/**
 * The machine seen last in the evidence of violations. A machine whose name is stored only in part cannot be
 * identified.
 */
function machineInEvidence(detected: readonly Violation[]): MachineSeen | null {
  const machines = detected.flatMap(({ evidence }) => machinesNamedIn(evidence));
  const [last] = machines
    .filter(({ hash }) => hash === undefined)
    .sort((one, other) => (one.lastSeen < other.lastSeen ? 1 : -1));
  return last ?? null;
}
