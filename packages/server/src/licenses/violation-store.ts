/** Violations as they are stored. */
import { toTimestamp } from '../clock.ts';
import { listOf, type Sql, statement, type Tx, tableOf } from '../storage/storage.ts';
import type { DetectedType, Violation } from './violation.ts';

interface ViolationRow extends Omit<Violation, 'evidence'> {
  readonly evidence: string;
}

const COLUMNS = `v.license_key as "licenseKey", v.violation_id as "violationId", v.type as "type",
  v.severity as "severity", v.occurrences as "occurrences", v.first_seen as "firstSeen", v.last_seen as "lastSeen",
  v.evidence as "evidence", v.resolved_at as "resolvedAt"`;

const listAll = statement(
  'violation.list',
  `select ${COLUMNS} from violation v where v.license_key = $1 order by v.violation_id limit 10000`,
);

const listNamed = statement(
  'violation.list_named',
  (words) => `select ${COLUMNS} from violation v where v.license_key = $1 and v.violation_id ${words.among('$2')}`,
);

const listGathering = statement(
  'violation.list_gathering',
  (words) => `select v.license_key as "licenseKey", v.violation_id as "violationId", v.type as "type",
      v.severity as "severity", v.last_seen as "lastSeen"
    from violation v where v.license_key ${words.among('$1')} and v.resolved_at is null
      and v.type in ('machine_limit', 'activation_rate', 'token_replay', 'country_spread')`,
);

const listByIds = statement(
  'violation.list_by_ids',
  (words) => `select ${COLUMNS} from ${words.table('$1', { license_key: 'text', violation_id: 'text' })} r
    join violation v on v.license_key = r.license_key and v.violation_id = r.violation_id`,
);

const insert = statement(
  'violation.insert',
  (words) => `insert into violation
      (license_key, violation_id, type, severity, occurrences, first_seen, last_seen, evidence, resolved_at)
    select r.license_key, r.violation_id, r.type, r.severity, r.occurrences, r.first_seen, r.last_seen, r.evidence, null
    from ${words.table('$1', {
      license_key: 'text',
      violation_id: 'text',
      type: 'text',
      severity: 'integer',
      occurrences: 'integer',
      first_seen: 'text',
      last_seen: 'text',
      evidence: 'text',
    })} r`,
);

// What several servers counted is added up.
const add = statement(
  'violation.add',
  (words) => `update violation set severity = r.severity, occurrences = violation.occurrences + r.occurrences,
      last_seen = r.last_seen, evidence = r.evidence
    from ${words.table('$1', {
      license_key: 'text',
      violation_id: 'text',
      severity: 'integer',
      occurrences: 'integer',
      last_seen: 'text',
      evidence: 'text',
    })} r where violation.license_key = r.license_key and violation.violation_id = r.violation_id`,
);

const resolve = statement(
  'violation.resolve',
  (words) => `update violation set resolved_at = $3
    where license_key = $1 and violation_id ${words.among('$2')} and resolved_at is null`,
);

const listOpen = statement(
  'violation.list_open',
  `select ${COLUMNS} from violation v where v.license_key = $1 and v.resolved_at is null
   order by v.severity desc limit 10000`,
);

function violationFrom(row: ViolationRow): Violation {
  return { ...row, evidence: JSON.parse(row.evidence) as Record<string, unknown> };
}

/** All violations of a license, newest first. */
export async function listViolations(sql: Sql, licenseKey: string): Promise<Violation[]> {
  const rows = await sql.all<ViolationRow>(listAll, licenseKey);
  return rows.map(violationFrom).sort((one, other) => (one.lastSeen < other.lastSeen ? 1 : -1));
}

/** Those of the named violations that are this license's. */
export async function listNamedViolations(sql: Sql, licenseKey: string, ids: readonly string[]): Promise<Violation[]> {
  const rows = await sql.all<ViolationRow>(listNamed, licenseKey, listOf(ids));
  return rows.map(violationFrom);
}

/** An open violation in which observations gather, without its evidence. */
export interface GatheringViolation extends Pick<Violation, 'licenseKey' | 'violationId' | 'severity' | 'lastSeen'> {
  readonly type: DetectedType;
}

/** The open violations of these licenses in which observations gather: one per type at most. */
export function listGatheringViolations(sql: Sql, licenseKeys: readonly string[]): Promise<GatheringViolation[]> {
  return sql.all<GatheringViolation>(listGathering, listOf(licenseKeys));
}

/** These violations of several licenses, resolved or not. */
export async function listViolationsByIds(
  sql: Sql,
  violations: readonly Pick<Violation, 'licenseKey' | 'violationId'>[],
): Promise<Violation[]> {
  const ids = tableOf(violations.map(({ licenseKey, violationId }) => [licenseKey, violationId]));
  return (await sql.all<ViolationRow>(listByIds, ids)).map(violationFrom);
}

/** Adds violations. */
export async function insertViolations(tx: Tx, violations: readonly Violation[]): Promise<void> {
  await tx.run(
    insert,
    tableOf(
      violations.map((each) => [
        each.licenseKey,
        each.violationId,
        each.type,
        each.severity,
        each.occurrences,
        each.firstSeen,
        each.lastSeen,
        JSON.stringify(each.evidence),
      ]),
    ),
  );
}

/** Writes what more was seen of violations of locked licenses; `occurrences` are those to add to what is stored. */
export async function addToViolations(tx: Tx, violations: readonly Violation[]): Promise<void> {
  await tx.run(
    add,
    tableOf(
      violations.map((each) => [
        each.licenseKey,
        each.violationId,
        each.severity,
        each.occurrences,
        each.lastSeen,
        JSON.stringify(each.evidence),
      ]),
    ),
  );
}

/** Marks violations of a license as resolved; those resolved before keep their time. */
export async function resolveViolations(
  tx: Tx,
  licenseKey: string,
  ids: readonly string[],
  now: number,
): Promise<void> {
  await tx.run(resolve, licenseKey, listOf(ids), toTimestamp(now));
}

/** The open violations of a license, the gravest first. */
export async function listOpenViolations(sql: Sql, licenseKey: string): Promise<Violation[]> {
  return (await sql.all<ViolationRow>(listOpen, licenseKey)).map(violationFrom);
}
