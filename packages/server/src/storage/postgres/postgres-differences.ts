/** The differences of PostgreSQL. */
import type { EngineDifferences, SchemaDialect } from '../contract/engine-differences.ts';
import { earlierPostgresDialect } from './postgres-dialect.ts';

/** Without `collate "C"`, PostgreSQL compares text as the database's language sorts it. */
export const postgresSchemaDialect: SchemaDialect = {
  text: 'text collate "C"',
  integer: 'bigint',
  tableEnd: '',
  own: ({ postgres }) => postgres,
};

/** The differences of PostgreSQL, and the SQL that it alone has. */
interface PostgresDifferences extends EngineDifferences {
  /**
   * Takes a lock at the beginning of each migration's transaction and holds it to the end; other migrating processes
   * wait.
   */
  readonly migrationLock: string;
  /**
   * Takes the migration lock until the connection ends, so that no server starts meanwhile. Returns `held`: 1 if the
   * lock was free, and 0 if not.
   */
  readonly startLock: string;
  /** SQL for the timeline of a server that takes writes; it rises with every promotion. */
  readonly timeline: string;
}

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
export const postgresDifferences: PostgresDifferences = {
  statements: earlierPostgresDialect,
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
  timeline: 'pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8)',
  // Tables of other schemas do not count: migrations create tables in the current one.
  findTable: 'select 1 from pg_tables where schemaname = current_schema() and tablename = $1',
  // One batch decides while the other commits.
  batchesAtOnce: 2,
};
