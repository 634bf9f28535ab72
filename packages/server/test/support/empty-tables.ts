/** Empties a migrated database that may be open elsewhere, so that it can be used again. */
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { Database } from '../../src/storage/open.ts';

/** Wait for a write of the service that has the file open. */
const LOCK_TIMEOUT_MS = 5_000;

/**
 * Deletes every row, except the record of migrations.
 *
 * @param kept further tables to leave alone: those that a running service holds in memory
 */
export async function emptyTables(database: Database, kept: readonly string[] = []): Promise<void> {
  const isEmptied = (table: string) => table !== 'schema_migration' && !kept.includes(table);
  if (database.engine === 'postgres') await emptyPostgres(database.url, isEmptied);
  else emptySqlite(database.file, isEmptied);
}

async function emptyPostgres(url: string, isEmptied: (table: string) => boolean): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query('select tablename from pg_tables where schemaname = current_schema()');
    for (const { tablename } of rows) if (isEmptied(tablename)) await client.query(`delete from ${tablename}`);
  } finally {
    await client.end();
  }
}

function emptySqlite(file: string, isEmptied: (table: string) => boolean): void {
  const database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS, enableForeignKeyConstraints: false });
  try {
    const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
    const deletions = tables.filter(({ name }) => isEmptied(String(name))).map(({ name }) => `delete from ${name};`);
    database.exec(`begin immediate; ${deletions.join(' ')} commit`);
  } finally {
    database.close();
  }
}
