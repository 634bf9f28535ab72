/**
 * One server process per SQLite file: what a process keeps in memory stays correct because nobody else writes licenses.
 * The claim is a lock of the operating system, which is released however the process ends.
 */
import { DatabaseSync } from 'node:sqlite';

/** SQLITE_BUSY: somebody else holds the lock. */
const BUSY_CODE = 5;

/** A lock on a database file that this process holds. */
export interface FileLock {
  release(): void;
}

/**
 * Locks a database file for a server.
 *
 * @throws when another server has it, or when the file system cannot lock
 */
export function lockSqliteFile(file: string): FileLock {
  const lock = new DatabaseSync(`${file}-server`, { timeout: 0 });
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== BUSY_CODE) throw error;
    throw new Error(`another Latchkey server is using ${file}; stop it, or give this one a directory of its own`);
  }
  return { release: () => lock.close() };
}
