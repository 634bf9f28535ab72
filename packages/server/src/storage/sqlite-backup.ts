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
import { LOCK_TIMEOUT_MS, openUnused } from './sqlite-connection.ts';
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
    database = openUnused(file);
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
 * @param prepare changes the new database, given by its path, before it takes its place
 * @returns whether there was one
 * @throws when a server uses the database, or the copy cannot be written, or `prepare` does; the database is as it was then
 */
export async function replaceSqlite(
  file: string,
  copy: string,
  keepAs: string,
  prepare: (partial: string) => Promise<void>,
): Promise<boolean> {
  const lock = lockSqliteFile(file);
  const partial = partialOf(file);
  let kept: KeptDatabase | undefined;
  try {
    // One that was left behind by a restore that was interrupted: nobody else writes here while the lock is held.
    removeWithLog(partial);
    makeEmpty(partial);
    copyFileSync(copy, partial);
    await prepare(partial);
    if (existsSync(`${partial}-wal`)) throw new Error(`${partial} is still in use.`);
    syncFile(partial);
    if (existsSync(file)) kept = keepDatabase(file, keepAs);
    renameSync(partial, file);
  } catch (error) {
    kept?.undo();
    throw error;
  } finally {
    removeWithLog(partial);
    lock.release();
  }
  syncDirectory(file);
  return kept !== undefined;
}

/** Removes a file that is not yet a database, and what SQLite made beside it. */
function removeWithLog(file: string): void {
  for (const each of [file, `${file}-wal`, `${file}-shm`, `${file}-journal`]) rmSync(each, { force: true });
}

/** A database that has a second name, and no log beside the first one. */
interface KeptDatabase {
  /** Takes the second name away, so that all is as it was. */
  undo(): void;
}

/**
 * Gives a database a second name, when what is in its log has come into its file. Log and index beside the first name go
 * away: left behind, they would be taken for those of the next database at this path. The log of a file that is too
 * damaged for that goes with it to the second name.
 *
 * @throws when the log cannot be brought into the file, for want of room or because somebody reads it; all is as it was
 */
function keepDatabase(file: string, keepAs: string): KeptDatabase {
  const isSettled = settleLog(file);
  linkOrCopy(file, keepAs);
  const log = `${file}-wal`;
  const hasLog = !isSettled && existsSync(log);
  if (hasLog) renameSync(log, `${keepAs}-wal`);
  for (const beside of ['-wal', '-shm']) rmSync(`${file}${beside}`, { force: true });
  return {
    undo() {
      if (hasLog) renameSync(`${keepAs}-wal`, log);
      rmSync(keepAs, { force: true });
    },
  };
}

/** What SQLite says of a file that is damaged, or is no database. */
const DAMAGED_CODES: readonly (number | undefined)[] = [11, 26];

/** Brings what is in the log of a database into its file; answers false where the file is too damaged for that. */
function settleLog(file: string): boolean {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS });
    const result = database.prepare('pragma wal_checkpoint(truncate)').get();
    if (result?.busy === 1) throw new Error('another program is reading it');
    return true;
  } catch (error) {
    // Only the first byte of the code says what it is.
    const code = (error as { errcode?: number }).errcode;
    if (code !== undefined && DAMAGED_CODES.includes(code & 0xff)) return false;
    const reason = (error as Error).message;
    throw new Error(`The present database ${file} cannot be set aside: ${reason}. Nothing was changed.`, {
      cause: error,
    });
  } finally {
    database?.close();
  }
}

/** Gives a file a second name; copies it where the file system knows no links. @throws when the name is taken */
function linkOrCopy(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw error;
    makeEmpty(name);
    try {
      copyFileSync(file, name);
      syncFile(name);
    } catch (copyError) {
      rmSync(name, { force: true });
      throw copyError;
    }
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
