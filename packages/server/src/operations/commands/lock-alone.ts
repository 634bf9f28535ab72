/** Keeps a server away while a command changes licenses. */
import type { Database } from '../../storage/contract/database.ts';
import { FileInUseError, type FileLock, lockSqliteFile } from '../../storage/sqlite/sqlite-file-lock.ts';

/**
 * Locks a SQLite file: a server keeps licenses in memory and relies on being the only writer. PostgreSQL needs no lock.
 *
 * @param instead what the operator can do while a server runs, as the end of a sentence
 * @throws when the file is in use
 */
export function lockAlone(database: Database, instead: string): FileLock | undefined {
  if (database.engine === 'postgres') return undefined;
  const { file } = database;
  try {
    return lockSqliteFile(file);
  } catch (error) {
    if (!(error instanceof FileInUseError)) throw error;
    throw new Error(
      `A server is using ${file}. With SQLite it must be the only writer, because it keeps licenses in memory: ${instead}`,
      { cause: error },
    );
  }
}
