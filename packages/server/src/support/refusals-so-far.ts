/** Earlier refusals of a license: the machine refused last, and the latest refusals. */
import type { ReplyOf } from '../endpoint/endpoint.ts';
import { findLastRefusedMachine, listRefusals } from '../observed-calls/store.ts';
import { type refusalSchema, refusalView } from '../observed-calls/view.ts';
import type { Sql } from '../storage/storage.ts';
import { type MachineSeen, machinesNamedIn } from '../violations/evidence.ts';
import { listGatheringViolations, listViolationsByIds } from '../violations/violation-store.ts';

/** Maximum number of refusals in an explanation; the history of the license has the others. */
const REFUSALS_SHOWN = 10;

/** A machine, with the names that it reported. */
export interface NamedMachine {
  readonly fingerprint: string;
  readonly hostname: string | null;
}

/**
 * The machine of a license that was refused last; null if none is known. Stored refusals lag by up to a second; the
 * evidence of open violations contains the latest ones at once.
 */
export async function machineRefusedLast(sql: Sql, licenseKey: string): Promise<NamedMachine | null> {
  const kept = await findLastRefusedMachine(sql, licenseKey);
  const seen = await machineInEvidence(sql, licenseKey);
  if (kept === null || (seen !== null && seen.lastSeen > kept.lastAt))
    return seen && { fingerprint: seen.fingerprint, hostname: seen.hostname ?? null };
  return { fingerprint: kept.fingerprint, hostname: kept.hostname };
}

/** The last refusals of a license, newest first. */
export async function lastRefusalsOf(sql: Sql, licenseKey: string): Promise<readonly ReplyOf<typeof refusalSchema>[]> {
  return (await listRefusals(sql, licenseKey, null, REFUSALS_SHOWN)).map(refusalView);
}

/**
 * The machine seen last in the evidence of open violations. A machine whose name is stored only in part cannot be
 * identified.
 */
async function machineInEvidence(sql: Sql, licenseKey: string): Promise<MachineSeen | null> {
  const gathering = await listGatheringViolations(sql, [licenseKey]);
  if (gathering.length === 0) return null;
  const violations = await listViolationsByIds(sql, gathering);
  const machines = violations.flatMap(({ evidence }) => machinesNamedIn(evidence));
  const [last] = machines
    .filter(({ hash }) => hash === undefined)
    .sort((one, other) => (one.lastSeen < other.lastSeen ? 1 : -1));
  return last ?? null;
}
