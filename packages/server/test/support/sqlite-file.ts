import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';

/**
 * Opens a SQLite file on a connection of the test. It waits for a service that is committing: without a `timeout`, SQLite
 * fails at once with "database is locked", and a job of the service commits whenever its time has come.
 */
export function openSqliteFile(file: string, options: DatabaseSyncOptions = {}): DatabaseSync {
  return new DatabaseSync(file, { timeout: 20_000, ...options });
}
