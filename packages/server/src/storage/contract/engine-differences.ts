/**
 * The differences between the database engines, apart from their drivers. Another engine that speaks PostgreSQL's
 * protocol is another record here.
 */

import type { Database } from './database.ts';
import { citusDialect, cockroachDialect, earlierPostgresDialect, postgresDialect, sqliteDialect } from './dialects.ts';
import { engineNamedIn, type PostgresLikeEngine } from './postgres-url.ts';
import {
  cockroachSchemaDialect,
  postgresSchemaDialect,
  type SchemaDialect,
  sqliteSchemaDialect,
  yugabyteSchemaDialect,
} from './schema-dialect.ts';
import type { Dialect } from './storage.ts';

/** How one engine differs from the others. */
export interface EngineDifferences {
  /** SQL of statements, including row locks. */
  readonly statements: Dialect;
  /** Replaces {@link statements} for servers from a version on, as `server_version_num` has it. */
  readonly laterStatements?: { readonly since: number; readonly dialect: Dialect } | undefined;
  /** SQL of table definitions. */
  readonly tables: SchemaDialect;
  /** Settings of every session, as `name=value`. */
  readonly sessionSettings: readonly string[];
  /** Additional settings of sessions that write; they override {@link sessionSettings}. */
  readonly writingSettings: readonly string[];
  /** Begins a transaction that may write. */
  readonly beginTransaction: string;
  /**
   * Takes a lock at the beginning of each migration's transaction and holds it to the end; other migrating processes
   * wait. `null`: `beginTransaction` already takes one.
   */
  readonly migrationLock: string | null;
  /**
   * Takes the migration lock until the connection or its transaction ends, so that no server starts meanwhile. Returns
   * `held`: 1 if the lock was free, and 0 or no row if not. `null`: another lock prevents starts.
   */
  readonly startLock: string | null;
  /**
   * Makes the row that {@link migrationLock} and {@link startLock} lock, in statements that can be repeated. Empty
   * where they lock no row.
   */
  readonly lockRow: readonly string[];
  /**
   * Whether a transaction can hold changes of tables and take them back. Where it cannot, a migration runs statement by
   * statement, and one that was interrupted is repeated from its beginning.
   */
  readonly hasTransactionalTables: boolean;
  /** Whether LOCK TABLE keeps writes off while a copy reads. Without it, the comparison at the end finds them. */
  readonly locksTables: boolean;
  /** SQL for the timeline of a server that takes writes; it rises with every promotion. `''`: there is none. */
  readonly timeline: string;
  /** Finds a table in the schema where new tables are created. Parameter: its name. No row if there is none. */
  readonly findTable: string;
  /** Finds a column in the same schema. Parameters: table, column. No row if there is none. */
  readonly findColumn: string;
  /** Concurrent batches of one kind. */
  readonly batchesAtOnce: number;
}

/** Bytes of the file that SQLite maps into memory and reads without a copy: SQLite's maximum. */
const MAPPED_BYTES = 0x7fff0000;

/**
 * Settings of SQLite's log. A checkpoint runs at 8000 pages (32 MB) instead of 1000, so that most commits pay for none.
 * A log longer than 64 MB is cut back to that size.
 */
export const sqliteLogSettings: readonly string[] = ['wal_autocheckpoint=8000', 'journal_size_limit=67108864'];

/**
 * SQLite has one writer, which holds the whole file from the beginning of a transaction. Rows and migrations need no
 * further locks, and a second batch would wait for the first.
 */
export const sqliteDifferences: EngineDifferences = {
  statements: sqliteDialect,
  tables: sqliteSchemaDialect,
  sessionSettings: ['cache_size=-65536', `mmap_size=${MAPPED_BYTES}`, 'temp_store=memory'],
  // `synchronous=full`: every commit is on disk before it ends. A commit after a split of index pages visits all cached
  // pages one by one, and a cache of 64 MB took a sixth of the writer's time. 16 MB hold the changes of the largest
  // group of transactions; pages that are only read are mapped.
  writingSettings: ['synchronous=full', ...sqliteLogSettings, 'cache_size=-16384'],
  beginTransaction: 'begin immediate',
  migrationLock: null,
  startLock: null,
  lockRow: [],
  hasTransactionalTables: true,
  locksTables: false,
  timeline: "''",
  findTable: "select 1 from sqlite_schema where type = 'table' and name = ?",
  findColumn: 'select 1 from pragma_table_info(?) where name = ?',
  batchesAtOnce: 1,
};

/**
 * PostgreSQL. Every statement finds its rows by an index and reads them in index order, for all parameter values, and
 * takes microseconds. The planner assumes no such workload, so the session settings say so:
 *
 * - A plan made while the tables are nearly empty is a sequential scan, and is kept until the next ANALYZE: 40 times
 *   slower at 50,000 licenses. Sequential scans are therefore disabled. So are plans that collect rows and sort them: a
 *   page of a hundred rows must not sort the purchases of years.
 * - The disabled plans look so expensive that compiling them or running them in parallel seems worthwhile. Starting the
 *   parallel workers took 10 ms of each list of expired licenses among ten million.
 * - Where one row is expected, an index with the order of the page may look dearer than a lower one and a sort: a level
 *   of an index costs 50 operators. At a fifth of the usual price, both cost the same within 1 %, and the order
 *   decides.
 * - Generic plans are used from the first execution. By default PostgreSQL plans lists again for each page, which takes
 *   a third of their time.
 */
export const postgresDifferences: EngineDifferences = {
  statements: earlierPostgresDialect,
  laterStatements: { since: 170_000, dialect: postgresDialect },
  tables: postgresSchemaDialect,
  sessionSettings: [
    'enable_seqscan=off',
    'enable_bitmapscan=off',
    'enable_hashjoin=off',
    'enable_mergejoin=off',
    'max_parallel_workers_per_gather=0',
    'jit=off',
    'plan_cache_mode=force_generic_plan',
    'cpu_operator_cost=0.0005',
  ],
  // The server warns of a commit that its standby did not confirm, and otherwise answers it as if all were well.
  writingSettings: ['synchronous_commit=on', 'client_min_messages=warning'],
  beginTransaction: 'begin isolation level read committed',
  // The key is arbitrary but the same on all nodes.
  migrationLock: 'select pg_advisory_xact_lock(5282435539)',
  startLock: 'select pg_try_advisory_lock(5282435539) as held',
  lockRow: [],
  hasTransactionalTables: true,
  locksTables: true,
  timeline: 'pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8)',
  // Tables of other schemas do not count: migrations create tables in the current one.
  findTable: 'select 1 from pg_tables where schemaname = current_schema() and tablename = $1',
  findColumn: `select 1 from information_schema.columns
    where table_schema = current_schema() and table_name = $1 and column_name = $2`,
  // One batch decides while the other commits.
  batchesAtOnce: 2,
};

const LOCKED_ROW = "select 1 as held from migration_lock where name = 'migration' for update";

/**
 * What CockroachDB and YugabyteDB have in common. Neither keeps changes of tables in a transaction, so the migration
 * lock is a row that a connection of its own holds. Neither has PostgreSQL's planner, log or LOCK TABLE.
 */
const withoutTransactionalTables = {
  ...postgresDifferences,
  laterStatements: undefined,
  sessionSettings: [],
  writingSettings: [],
  migrationLock: LOCKED_ROW,
  startLock: `${LOCKED_ROW} skip locked`,
  lockRow: [
    'create table if not exists migration_lock (name text not null primary key)',
    "insert into migration_lock (name) values ('migration') on conflict (name) do nothing",
  ],
  hasTransactionalTables: false,
  locksTables: false,
  timeline: "''",
} satisfies EngineDifferences;

/** Servers that speak PostgreSQL's protocol, by the parameter `engine` of their URL (docs/other-servers.md). */
const postgresLikeDifferences: Readonly<Record<PostgresLikeEngine, EngineDifferences>> = {
  postgresql: postgresDifferences,
  cockroachdb: { ...withoutTransactionalTables, statements: cockroachDialect, tables: cockroachSchemaDialect },
  yugabytedb: { ...withoutTransactionalTables, tables: yugabyteSchemaDialect },
  // The coordinator is a PostgreSQL. A statement on `license`, `activation` or `violation` may reach several shards.
  citus: { ...postgresDifferences, statements: citusDialect, laterStatements: undefined },
};

/** The record of a PostgreSQL URL. @throws PostgresUrlError when the URL names an unknown engine */
export const postgresDifferencesOf = (url: string): EngineDifferences => postgresLikeDifferences[engineNamedIn(url)];

/** The record of a database. @throws PostgresUrlError when its URL names an unknown engine */
export const differencesOf = (database: Database): EngineDifferences =>
  database.engine === 'sqlite' ? sqliteDifferences : postgresDifferencesOf(database.url);
