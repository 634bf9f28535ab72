/** Empties a migrated database that may be open elsewhere, so that it can be used again. */
import type { Database } from '../../src/storage/contract/database.ts';
import { onClient } from './own-connection.ts';
import { openSqliteFile } from './sqlite-file.ts';

/**
 * Deletes every row, except the record of migrations.
 *
 * @param kept further tables to leave alone: those that a running service holds in memory
 */
export async function emptyTables(database: Database, kept: readonly string[] = []): Promise<void> {
  const isEmptied = (table: string) => table !== 'schema_migration' && !kept.includes(table);
  if (database.engine === 'postgres') {
    await onClient(database.url, async (client) => {
      const { rows } = await client.query('select tablename from pg_tables where schemaname = current_schema()');
      for (const { tablename } of rows) if (isEmptied(tablename)) await client.query(`delete from ${tablename}`);
    });
    return;
  }
  // A service that has the file open may be writing.
  using file = openSqliteFile(database.file, { enableForeignKeyConstraints: false });
  const tables = file.prepare("select name from sqlite_schema where type = 'table'").all();
  const deletions = tables.filter(({ name }) => isEmptied(String(name))).map(({ name }) => `delete from ${name};`);
  file.exec(`begin immediate; ${deletions.join(' ')} commit`);
}
