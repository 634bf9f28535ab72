import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';

/**
 * Opens a SQLite file on a connection of the test. It waits for a service that is committing, where SQLite by default
 * fails at once with "database is locked".
 */
export function openSqliteFile(file: string, options: DatabaseSyncOptions = {}): DatabaseSync {
  return new DatabaseSync(file, { timeout: 20_000, ...options });
}
