/**
 * Statements that the documents of other engines name as unsupported, or as something other than in PostgreSQL, with
 * the engines' error codes. The rehearsal refuses them (refusing-proxy.ts). Documents of CockroachDB 25.4, YugabyteDB
 * 2024.2 and Citus 13.
 */
import type { PostgresLikeEngine } from '../../src/storage/contract/postgres-url.ts';

export type RehearsedEngine = Exclude<PostgresLikeEngine, 'postgresql'>;

/** An engine as its documents describe it. */
export interface DocumentedEngine {
  /** The documents that are followed. */
  readonly documents: string;
  readonly refusals: readonly Refusal[];
  /** Whether a statement of a transaction may be refused with 40001, after which the client begins again. */
  readonly abortsTransactions: boolean;
  /** Whether `create database` makes one that compares text by its bytes. */
  readonly comparesBytes: boolean;
  /** Settings that a session must not name when it begins. */
  readonly unknownSettings: RegExp | null;
}

/** A kind of statement that an engine refuses. */
export interface Refusal {
  /** @param sql lower case, without comments, with single spaces */
  readonly refuses: (sql: string, isInTransaction: boolean) => boolean;
  /** SQLSTATE. */
  readonly code: string;
  readonly message: string;
}

const matching = (pattern: RegExp, code: string, message: string): Refusal => ({
  refuses: (sql) => pattern.test(sql),
  code,
  message,
});

const TABLE_CHANGE = /^(create|alter|drop) (unique )?(table|index)\b/;

const tableChangeInTransaction = (message: string): Refusal => ({
  refuses: (sql, isInTransaction) => isInTransaction && TABLE_CHANGE.test(sql),
  code: '0A000',
  message,
});

/** Tables that Citus would distribute by `license_key` (docs/scale.md). */
const DISTRIBUTED =
  '(?:license|activation|violation|session_pool|support_extension|license_file|license_file_count|kept_refusal)';

const LOCKING_SELECT = new RegExp(`\\bfrom ${DISTRIBUTED} (\\w+) where ([^(]*)$`);

/** Whether a row lock in this statement covers rows of distributed tables without naming one license. */
function locksSeveralShards(sql: string): boolean {
  const lock = /\bfor (no key update|update|share|key share)\b/.exec(sql);
  if (lock === null) return false;
  let before = sql.slice(0, lock.index);
  // Only the select that locks is left, without the selects inside it and around it.
  while (/\([^()]*\)/.test(before)) before = before.replace(/\([^()]*\)/g, '');
  const [, alias, condition] = LOCKING_SELECT.exec(before) ?? [];
  return condition !== undefined && !new RegExp(`\\b${alias}\\.license_key = \\$\\d`).test(condition);
}

export const documentedEngines: Readonly<Record<RehearsedEngine, DocumentedEngine>> = {
  cockroachdb: {
    documents: 'CockroachDB 25.4',
    abortsTransactions: true,
    comparesBytes: true,
    unknownSettings: /enable_bitmapscan|enable_hashjoin|enable_mergejoin|\bjit\b|max_parallel_workers_per_gather/,
    refusals: [
      matching(/\bpg_(try_)?advisory_/, '42883', 'unknown function: pg_advisory_lock()'),
      matching(/^lock (table )?/, '42601', 'at or near "lock": syntax error'),
      matching(/\bpg_(walfile_name|current_wal_lsn|database_size)\b/, '42883', 'unknown function'),
      matching(
        /\b(drop constraint \w+_pkey|drop primary key)\b/,
        '0A000',
        'unimplemented: primary key dropped without replacement',
      ),
      // The engine commits the changes before this one, and then commits each change at once.
      tableChangeInTransaction('a schema change ends the transaction'),
    ],
  },
  yugabytedb: {
    documents: 'YugabyteDB 2024.2',
    abortsTransactions: true,
    comparesBytes: false,
    unknownSettings: null,
    refusals: [
      matching(/\bpg_(try_)?advisory_/, '0A000', 'advisory locks are not yet implemented'),
      matching(/^lock (table )?.* (?!access share)\w+ mode/, '0A000', 'SHARE not supported yet'),
      matching(/\bfillfactor\b/, '22023', 'unrecognized parameter "fillfactor"'),
      // The engine does not refuse such an index: it hashes the first column, and the index has no order.
      matching(/^create (unique )?index (?!.* asc[,)])/, '0A000', 'an index without ASC has no order'),
      tableChangeInTransaction('a change of a table is not part of the transaction'),
    ],
  },
  citus: {
    documents: 'Citus 13',
    abortsTransactions: false,
    comparesBytes: false,
    unknownSettings: null,
    refusals: [
      {
        refuses: locksSeveralShards,
        code: '0A000',
        message: 'could not run distributed query with FOR UPDATE/SHARE commands',
      },
      matching(
        new RegExp(`^create unique index .* on ${DISTRIBUTED} (?!\\([^)]*license_key)`),
        '0A000',
        'cannot create constraint: UNIQUE needs the partition column',
      ),
      matching(
        new RegExp(`^insert into ${DISTRIBUTED} .*\\bon conflict \\((?![^)]*license_key)`),
        '0A000',
        'ON CONFLICT needs the partition column',
      ),
    ],
  },
};

/** The refusal of a statement; undefined if the engine accepts it. */
export function refusalOf(engine: DocumentedEngine, text: string, isInTransaction: boolean): Refusal | undefined {
  const sql = text
    .replace(/--[^\n]*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
  return engine.refusals.find(({ refuses }) => refuses(sql, isInTransaction));
}
