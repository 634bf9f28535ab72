/** The differences of SQLite. */
import type { EngineDifferences, SchemaDialect } from '../contract/engine-differences.ts';
import { sqliteDialect } from './sqlite-dialect.ts';

/** Strict tables refuse a value of another type than the column's. SQLite compares text by its bytes. */
export const sqliteSchemaDialect: SchemaDialect = {
  text: 'text',
  integer: 'integer',
  tableEnd: ' strict',
  own: ({ sqlite }) => sqlite,
};

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
  findTable: "select 1 from sqlite_schema where type = 'table' and name = ?",
  batchesAtOnce: 1,
};
