/**
 * What the service has to know of each database engine: the one place where the engines differ that is not their driver.
 * Another engine that speaks PostgreSQL's protocol is another record here.
 */

import { postgresDialect, sqliteDialect } from './dialects.ts';
import { postgresSchemaDialect, type SchemaDialect, sqliteSchemaDialect } from './schema-dialect.ts';
import type { Dialect } from './storage.ts';

/** How one engine differs from the others. */
export interface EngineDifferences {
  /** How statements are worded, the locking of rows included. */
  readonly statements: Dialect;
  /** How tables are defined. */
  readonly tables: SchemaDialect;
  /** Settings of every session, as `name=value`. */
  readonly sessionSettings: readonly string[];
  /** Settings of sessions that write, beside those or in their place. */
  readonly writingSettings: readonly string[];
  /** Begins a transaction that may write. */
  readonly beginTransaction: string;
  /** Run first in each transaction of a migration, and held to its end: others wait for it. `null`: its begin does so. */
  readonly migrationLock: string | null;
  /**
   * Takes the lock of the migrations for as long as the connection lives, so that no server starts meanwhile; answers
   * whether it was free, as `held`. `null`: another lock does so.
   */
  readonly startLock: string | null;
  /** Finds the table named by the only parameter where new tables would be made; no row when there is none. */
  readonly findTable: string;
  /** Finds the column named by the second parameter in such a table, named by the first; no row when there is none. */
  readonly findColumn: string;
  /** Batches of a kind that may be under way at once. */
  readonly batchesAtOnce: number;
}

/** How much of the file is read as memory, without a copy; as much as SQLite allows. */
const MAPPED_BYTES = 0x7fff0000;

/**
 * Settings of SQLite's log. It is written back into the file at 8000 pages (32 MB) instead of 1000, which keeps that out of
 * most commits; a log that has grown beyond 64 MB gives the rest back to the disk.
 */
export const sqliteLogSettings: readonly string[] = ['wal_autocheckpoint=8000', 'journal_size_limit=67108864'];

/**
 * SQLite has one writer, who holds the whole file from the beginning of a transaction: no lock of a row or of the
 * migrations is needed, and a second batch would wait for the first.
 */
export const sqliteDifferences: EngineDifferences = {
  statements: sqliteDialect,
  tables: sqliteSchemaDialect,
  sessionSettings: ['cache_size=-65536', `mmap_size=${MAPPED_BYTES}`, 'temp_store=memory'],
  // Every commit is on disk before it ends. A commit after pages of an index were split looks at all pages in the cache, one by one: 64 MB of them took
  // a sixth of the writer's time. 16 MB hold what the largest group of transactions changes; what is only read is mapped.
  writingSettings: ['synchronous=full', ...sqliteLogSettings, 'cache_size=-16384'],
  beginTransaction: 'begin immediate',
  migrationLock: null,
  startLock: null,
  findTable: "select 1 from sqlite_schema where type = 'table' and name = ?",
  findColumn: 'select 1 from pragma_table_info(?) where name = ?',
  batchesAtOnce: 1,
};

/**
 * PostgreSQL. All statements find their rows by an index and take them in its order, whatever the values, and each takes
 * microseconds; a server that plans for any workload has to be told by settings of the session:
 *
 * - A plan made while the tables are nearly empty walks through them and is kept until statistics are gathered, 40 times
 *   slower at 50,000 licenses. So walking is made to look expensive from the start, and so is gathering rows to sort them:
 *   a page of a hundred must not sort what a reseller bought in years.
 * - That makes plans look worth compiling or spreading over several processes. Starting these took 10 ms of each list of
 *   expired licenses among ten million.
 * - A plan for any values is taken from the first. Left to itself, PostgreSQL plans lists anew for each page, a third of
 *   their time.
 */
export const postgresDifferences: EngineDifferences = {
  statements: postgresDialect,
  tables: postgresSchemaDialect,
  sessionSettings: [
    'enable_seqscan=off',
    'enable_bitmapscan=off',
    'enable_hashjoin=off',
    'enable_mergejoin=off',
    'max_parallel_workers_per_gather=0',
    'jit=off',
    'plan_cache_mode=force_generic_plan',
  ],
  writingSettings: ['synchronous_commit=on'],
  beginTransaction: 'begin isolation level read committed',
  // The key is any number that all migrating nodes know.
  migrationLock: 'select pg_advisory_xact_lock(5282435539)',
  startLock: 'select pg_try_advisory_lock(5282435539) as held',
  // Tables of other schemas do not count: those that a migration makes come into this one.
  findTable: 'select 1 from pg_tables where schemaname = current_schema() and tablename = $1',
  findColumn: `select 1 from information_schema.columns
    where table_schema = current_schema() and table_name = $1 and column_name = $2`,
  // One decides while the other commits.
  batchesAtOnce: 2,
};

/** Of each engine that a {@link import('./open.ts').Database} may name. */
export const engineDifferences: Readonly<Record<'sqlite' | 'postgres', EngineDifferences>> = {
  sqlite: sqliteDifferences,
  postgres: postgresDifferences,
};
