/** Claims of SQLite files. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { LOCK_TIMEOUT_MS } from '../sqlite/sqlite-connection.ts';
import { transactionError } from '../sqlite/sqlite-errors.ts';
import { identityOf, isStillAt } from '../sqlite/sqlite-file.ts';
import { lockSqliteFile } from '../sqlite/sqlite-file-lock.ts';
import type { Claim, SourceClaim } from './claim.ts';

/**
 * Claims the source: no server can start on it, and neither servers nor commands can write to it.
 *
 * @throws when the file does not exist or is in use
 */
export async function claimSqliteSource(file: string): Promise<SourceClaim> {
  if (!existsSync(file)) throw new Error(`There is no database at ${file}.`);
  const serverLock = lockSqliteFile(file);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS });
    // The journal mode stays unchanged: the source may be a backup, which has no log.
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

/** Claims the target: no server can start on it. @throws when one uses it */
export async function claimSqliteTarget(file: string): Promise<Claim> {
  const serverLock = lockSqliteFile(file);
  return { ...watchFile(file), release: async () => serverLock.release() };
}

/** Checks that the file is not deleted or replaced. */
function watchFile(file: string): Pick<Claim, 'check'> {
  const identity = identityOf(file);
  return {
    check() {
      if (identity === undefined || !isStillAt(file, identity))
        throw new Error(`${file} was deleted or replaced meanwhile.`);
    },
  };
}
