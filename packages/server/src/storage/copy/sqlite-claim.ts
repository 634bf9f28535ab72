/** Claims of SQLite files. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { LOCK_TIMEOUT_MS } from '../sqlite-connection.ts';
import { transactionError } from '../sqlite-errors.ts';
import { identityOf, isStillAt } from '../sqlite-file.ts';
import { lockSqliteFile } from '../sqlite-file-lock.ts';
import type { Claim, SourceClaim } from './claim.ts';

/**
 * Claims a file that is read: no server starts on it, and nothing writes to it, commands included.
 *
 * @throws when it is not there, or somebody uses it
 */
export async function claimSqliteSource(file: string): Promise<SourceClaim> {
  if (!existsSync(file)) throw new Error(`There is no database at ${file}.`);
  const serverLock = lockSqliteFile(file);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS });
    // The journal is left as it is: a backup is no log's business.
    database.exec('begin immediate');
  } catch (error) {
    database?.close();
    serverLock.release();
    throw transactionError('the source cannot be claimed', error);
  }
  const { check } = watchFile(file);
  return {
    check,
    count: async (table) => Number(database.prepare(`select count(*) as rows from ${table}`).get()?.rows),
    release: async () => {
      database.exec('rollback');
      database.close();
      serverLock.release();
    },
  };
}

/** Claims a file that is filled: no server starts on it. @throws when one uses it */
export async function claimSqliteTarget(file: string): Promise<Claim> {
  const serverLock = lockSqliteFile(file);
  return { ...watchFile(file), release: async () => serverLock.release() };
}

/** Sees that the file stays where it is. */
function watchFile(file: string): Pick<Claim, 'check'> {
  const identity = identityOf(file);
  return {
    check() {
      if (identity === undefined || !isStillAt(file, identity))
        throw new Error(`${file} was deleted or replaced meanwhile.`);
    },
  };
}
