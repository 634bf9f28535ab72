/**
 * Copies of a SQLite database: made while a server uses it, looked over before they are trusted, and put in place of a
 * database that nobody uses. A copy of the file alone would lack what is still in its write-ahead log.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LOCK_TIMEOUT_MS } from './sqlite-connection.ts';
import { lockSqliteFile } from './sqlite-file-lock.ts';

/** What a copy holds. */
export interface BackupContents {
  readonly bytes: number;
  readonly schemaVersion: number;
  readonly licenses: number;
}

/** A file while it is being written, beside the place that it is for. */
const partialOf = (file: string) => `${file}.partial`;

/**
 * Writes a copy of a database, as it is at one moment, to a file that is not there yet. Servers go on reading and writing
 * meanwhile. The file is readable by its owner alone, is on disk, and was looked over.
 *
 * @throws when the target is there already, cannot be written, or does not pass {@link inspectBackup}; no file is left
 */
export function backUpSqlite(file: string, target: string): BackupContents {
  if (existsSync(target)) throw new Error(`${target} is there already; a backup never replaces a file.`);
  const partial = partialOf(target);
  // Not within the part below: a file of that name may be a backup that is under way.
  try {
    makeEmpty(partial);
  } catch (error) {
    throw new Error(`The backup cannot be written: ${(error as Error).message}`, { cause: error });
  }
  try {
    const database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS });
    try {
      // In one step: a copy in many steps starts anew whenever the database is written, and would never end on a busy one.
      database.prepare('vacuum into ?').run(partial);
    } finally {
      database.close();
    }
    const contents = inspectBackup(partial);
    // A hard link does not replace a file that somebody made at that name meanwhile.
    place(partial, target);
    return contents;
  } catch (error) {
    throw withoutPartial(error);
  } finally {
    rmSync(partial, { force: true });
  }

  function withoutPartial(error: unknown): Error {
    const reason = error instanceof Error ? error.message.replaceAll(partial, target) : String(error);
    return new Error(`The backup was not made: ${reason}`, { cause: error });
  }
}

/**
 * Reads a whole copy and checks that it is a sound database of Latchkey. It is not changed.
 *
 * @throws an error that says what is wrong with it
 */
export function inspectBackup(file: string): BackupContents {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size;
  if (bytes === undefined) throw new Error(`There is no file ${file}.`);
  if (existsSync(`${file}-wal`))
    throw new Error(`Beside ${file} there is a log (${file}-wal): it is a database in use, not a backup.`);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    const integrity = database.prepare('pragma integrity_check(1)').get() as { integrity_check: string };
    if (integrity.integrity_check !== 'ok') throw new Error(integrity.integrity_check);
    const { version } = database.prepare('select max(version) as version from schema_migration').get() as {
      version: number | null;
    };
    if (version === null) throw new Error('it has no tables of Latchkey');
    const { licenses } = database.prepare('select count(*) as licenses from license').get() as { licenses: number };
    return { bytes, schemaVersion: version, licenses };
  } catch (error) {
    throw new Error(`${file} is no sound backup of Latchkey: ${(error as Error).message}`, { cause: error });
  } finally {
    database?.close();
  }
}

/**
 * Puts a copy in place of a database that no server uses. At every moment there is a whole database at its path: the old
 * one, or the new one. The old one is kept under another name.
 *
 * @param keepAs where the database that was there is kept; must not be there yet
 * @returns whether there was one
 * @throws when a server uses the database, or the copy cannot be written; the database is as it was then
 */
export function replaceSqlite(file: string, copy: string, keepAs: string): boolean {
  const lock = lockSqliteFile(file);
  const partial = partialOf(file);
  try {
    // One that was left behind by a restore that was interrupted: nobody else writes here while the lock is held.
    rmSync(partial, { force: true });
    makeEmpty(partial);
    copyFileSync(copy, partial);
    syncFile(partial);
    const isThere = existsSync(file);
    if (isThere) {
      settleLog(file, keepAs);
      linkOrCopy(file, keepAs);
    }
    renameSync(partial, file);
    syncDirectory(file);
    return isThere;
  } finally {
    rmSync(partial, { force: true });
    lock.release();
  }
}

/**
 * Brings what is in the log of a database into its file, and takes log and index away: left behind, they would be taken
 * for those of the next database at this path. Where the file is too damaged for that, its log is kept with it.
 */
function settleLog(file: string, keepAs: string): void {
  try {
    const database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS });
    try {
      database.exec('pragma wal_checkpoint(truncate)');
    } finally {
      database.close();
    }
  } catch {
    if (existsSync(`${file}-wal`)) linkOrCopy(`${file}-wal`, `${keepAs}-wal`);
  }
  for (const beside of ['-wal', '-shm']) rmSync(`${file}${beside}`, { force: true });
}

/** Gives a file a second name; copies it where the file system knows no links. @throws when the name is taken */
function linkOrCopy(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw error;
    makeEmpty(name);
    copyFileSync(file, name);
    syncFile(name);
  }
}

/** Gives a finished file its name, unless that is taken. */
function place(partial: string, target: string): void {
  syncFile(partial);
  linkOrCopy(partial, target);
  syncDirectory(target);
}

/** Makes an empty file for its owner alone; it holds license keys and signing keys soon. */
function makeEmpty(file: string): void {
  closeSync(openSync(file, 'wx', 0o600));
}

function syncFile(file: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Sees that a name is on disk. Windows opens no directories, and needs no such thing. */
function syncDirectory(file: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(dirname(file), 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
