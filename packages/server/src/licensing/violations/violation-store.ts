/** Stored violations. */
import { fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import { type RecordedTx, recorded } from '../../storage/contract/recorded.ts';
import { listOf, type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { recordOf } from '../../storage/contract/stored-json.ts';
import { integerColumn, jsonColumn, type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import type { DetectedType } from './observation.ts';
import type { Violation } from './violation.ts';

/** The table of violations. */
export const violationTable = new Table<Violation>('violation', {
  licenseKey: textColumn('license_key'),
  violationId: textColumn('violation_id'),
  type: textColumn('type'),
  severity: integerColumn('severity'),
  occurrences: integerColumn('occurrences'),
  firstSeen: textColumn('first_seen'),
  lastSeen: textColumn('last_seen'),
  evidence: jsonColumn('evidence', recordOf),
  resolvedAt: textColumn('resolved_at'),
});

/** The select list of a violation; `v` is the table. */
export const VIOLATION_COLUMNS = violationTable.select('v');
/** The key of a violation. */
const KNOWN_BY = ['licenseKey', 'violationId'] as const;
/** The fields written for further observations. */
const ADDED_FIELDS = [...KNOWN_BY, 'severity', 'occurrences', 'lastSeen', 'evidence'] as const;

const listAll = statement(
  'violation.list',
  `select ${VIOLATION_COLUMNS} from violation v where v.license_key = $1 order by v.violation_id limit 10000`,
);

const listNamed = statement(
  'violation.list_named',
  (dialect) =>
    `select ${VIOLATION_COLUMNS} from violation v where v.license_key = $1 and v.violation_id ${dialect.among('$2')}`,
);

const listGathering = statement(
  'violation.list_gathering',
  (dialect) => `select ${violationTable.select('v', ['licenseKey', 'violationId', 'type', 'severity', 'lastSeen'])}
    from violation v where v.license_key ${dialect.among('$1')} and v.resolved_at is null
      and v.type in ('machine_limit', 'activation_rate', 'token_replay', 'country_spread')`,
);

const listByIds = statement(
  'violation.list_by_ids',
  (dialect) => `select ${VIOLATION_COLUMNS} from ${violationTable.unfold(dialect, '$1', KNOWN_BY)} r
    join violation v on v.license_key = r.license_key and v.violation_id = r.violation_id`,
);

const listAfter = statement(
  'violation.list_after',
  `select ${VIOLATION_COLUMNS} from violation v where v.license_key = $1 and v.violation_id > $2 order by v.violation_id limit $3`,
);

const lastResolution = statement(
  'violation.last_resolution',
  `select max(v.resolved_at) as "resolvedAt" from violation v where v.license_key = $1 and v.type = $2`,
);

const rewrite = violationTable.update('violation.rewrite', KNOWN_BY, ['evidence']);

// Only boards filter by product, so the insert looks it up.
const insert = recorded(
  violationTable.insert('violation.insert', {
    computed: { product_id: '(select l.product_id from license l where l.license_key = r.license_key)' },
  }),
);

// Adds, because several servers count.
const add = recorded(
  statement(
    'violation.add',
    (dialect) => `update violation set severity = r.severity, occurrences = violation.occurrences + r.occurrences,
      last_seen = r.last_seen, evidence = r.evidence
    from ${violationTable.unfold(dialect, '$1', ADDED_FIELDS)} r
    where violation.license_key = r.license_key and violation.violation_id = r.violation_id`,
  ),
);

const resolve = recorded(
  statement(
    'violation.resolve',
    (dialect) => `update violation set resolved_at = $3
    where license_key = $1 and violation_id ${dialect.among('$2')} and resolved_at is null`,
  ),
);

const listOpen = statement(
  'violation.list_open',
  `select ${VIOLATION_COLUMNS} from violation v where v.license_key = $1 and v.resolved_at is null
   order by v.severity desc limit 10000`,
);

/** The violation in a row of {@link VIOLATION_COLUMNS}. */
export function violationFrom(row: StoredRow): Violation {
  return violationTable.restore(row);
}

/** All violations of a license, newest first. */
export async function listViolations(sql: Sql, licenseKey: string): Promise<Violation[]> {
  const rows = await sql.all<StoredRow>(listAll, licenseKey);
  return rows.map(violationFrom).sort((one, other) => (one.lastSeen < other.lastSeen ? 1 : -1));
}

/** The violations with these ids that belong to the license. */
export async function listNamedViolations(sql: Sql, licenseKey: string, ids: readonly string[]): Promise<Violation[]> {
  const rows = await sql.all<StoredRow>(listNamed, licenseKey, listOf(ids));
  return rows.map(violationFrom);
}

/** An open violation that gathers observations, without its evidence. */
export interface GatheringViolation extends Pick<Violation, 'licenseKey' | 'violationId' | 'severity' | 'lastSeen'> {
  readonly type: DetectedType;
}

/** The open violations of these licenses that gather observations: at most one per type. */
export function listGatheringViolations(sql: Sql, licenseKeys: readonly string[]): Promise<GatheringViolation[]> {
  return sql.all<GatheringViolation>(listGathering, listOf(licenseKeys));
}

/**
 * When a violation of this license and type was last resolved, in milliseconds since 1970; null if none was. Reads all
 * violations of the license.
 */
export async function findLastResolution(sql: Sql, licenseKey: string, type: DetectedType): Promise<number | null> {
  const row = await sql.first<{ readonly resolvedAt: string | null }>(lastResolution, licenseKey, type);
  return row?.resolvedAt ? fromTimestamp(row.resolvedAt) : null;
}

/** These violations of several licenses, resolved or not. */
export async function listViolationsByIds(
  sql: Sql,
  violations: readonly Pick<Violation, 'licenseKey' | 'violationId'>[],
): Promise<Violation[]> {
  return (await sql.all<StoredRow>(listByIds, violationTable.rows(violations, KNOWN_BY))).map(violationFrom);
}

/** Adds violations. */
export async function insertViolations(tx: RecordedTx, violations: readonly Violation[]): Promise<void> {
  await tx.run(insert, violationTable.rows(violations, violationTable.fields));
}

/**
 * Writes further observations of violations of locked licenses; `occurrences` is the number to add to the stored one.
 */
export async function addToViolations(tx: RecordedTx, violations: readonly Violation[]): Promise<void> {
  await tx.run(add, violationTable.rows(violations, ADDED_FIELDS));
}

/** Marks violations of a license as resolved; violations resolved earlier keep their time. */
export async function resolveViolations(
  tx: RecordedTx,
  licenseKey: string,
  ids: readonly string[],
  now: number,
): Promise<void> {
  await tx.run(resolve, licenseKey, listOf(ids), toTimestamp(now));
}

/** The open violations of a license, gravest first. */
export async function listOpenViolations(sql: Sql, licenseKey: string): Promise<Violation[]> {
  return (await sql.all<StoredRow>(listOpen, licenseKey)).map(violationFrom);
}

/** Violations of a license by identifier, after a given one ('' is before all). */
export async function listViolationsAfter(
  sql: Sql,
  licenseKey: string,
  after: string,
  most: number,
): Promise<Violation[]> {
  return (await sql.all<StoredRow>(listAfter, licenseKey, after, most)).map(violationFrom);
}

/** Replaces the evidence of violations when a customer is forgotten. */
export async function rewriteEvidence(
  tx: Tx,
  violations: readonly Pick<Violation, (typeof KNOWN_BY)[number] | 'evidence'>[],
): Promise<void> {
  if (violations.length > 0) await tx.run(rewrite, violationTable.rows(violations, [...KNOWN_BY, 'evidence']));
}
