/** What is known of a license's earlier refusals: which machine was refused last, and the last of them. */
import type { ReplyOf } from '../endpoint/endpoint.ts';
import type { MachineSeen } from '../licenses/evidence.ts';
import { listGatheringViolations, listViolationsByIds } from '../licenses/violation-store.ts';
import type { Sql } from '../storage/storage.ts';
import type { lastRefusalSchema } from './explanation-views.ts';

/** A machine by the names that it gave itself. */
export interface NamedMachine {
  readonly fingerprint: string;
  readonly hostname: string | null;
}

/**
 * The machine of a license that was refused last, as the evidence of its open violations names it; null where none is
 * named. Of a machine whose name is kept in part only it is not known which it is.
 */
export async function machineRefusedLast(sql: Sql, licenseKey: string): Promise<NamedMachine | null> {
  const gathering = await listGatheringViolations(sql, [licenseKey]);
  if (gathering.length === 0) return null;
  const violations = await listViolationsByIds(sql, gathering);
  const machines = violations.flatMap(
    ({ evidence }) => (evidence.machines as readonly MachineSeen[] | undefined) ?? [],
  );
  const [last] = machines
    .filter(({ hash }) => hash === undefined)
    .sort((one, other) => (one.lastSeen < other.lastSeen ? 1 : -1));
  return last === undefined ? null : { fingerprint: last.fingerprint, hostname: last.hostname ?? null };
}

/** The last refusals of a license, the newest first. None is known as long as no refusals are kept. */
export async function lastRefusalsOf(
  _sql: Sql,
  _licenseKey: string,
): Promise<readonly ReplyOf<typeof lastRefusalSchema>[]> {
  return [];
}
