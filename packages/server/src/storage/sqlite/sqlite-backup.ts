/**
 * Backups of a SQLite database: written while a server uses it, checked before use, and restored in place of a database
 * that no server uses. A copy of the file alone would lack the commits in its write-ahead log.
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
import { isDamage } from './sqlite-errors.ts';
import { lockSqliteFile } from './sqlite-file-lock.ts';

/** Contents of a backup. */
export interface BackupContents {
  readonly bytes: number;
  readonly schemaVersion: number;
  readonly licenses: number;
}

/** The path of a file while it is being written, beside its target. */
const partialOf = (file: string) => `${file}.partial`;

/**
 * Writes a snapshot of a database to a new file. Servers go on reading and writing meanwhile. Only the owner can read
 * the file. It is flushed to disk and checked.
 *
 * @throws when the target exists, cannot be written, or does not pass {@link inspectBackup}; no file is left
 */
export function backUpSqlite(file: string, target: string): BackupContents {
  if (existsSync(target)) throw new Error(`${target} already exists; a backup never replaces a file.`);
  const partial = partialOf(target);
  // Outside the block below, which deletes the file: an existing one may belong to a backup under way.
  try {
    makeEmpty(partial);
  } catch (error) {
    throw new Error(`The backup cannot be written: ${(error as Error).message}`, { cause: error });
  }
  try {
    const database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS });
    try {
      // In one step: a copy in several steps restarts after each write to the database, and would never end on a busy
      // one.
      database.prepare('vacuum into ?').run(partial);
    } finally {
      database.close();
    }
    const contents = inspectBackup(partial);
    // A hard link does not replace a file that was created at that path meanwhile.
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
 * Reads a whole backup without changing it, and checks that it is a sound database of Latchkey.
 *
 * @throws an error that names the fault
 */
export function inspectBackup(file: string): BackupContents {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size;
  if (bytes === undefined) throw new Error(`There is no file ${file}.`);
  if (existsSync(`${file}-wal`))
    throw new Error(`${file} has a log beside it (${file}-wal): it is a database in use, not a backup.`);
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
    throw new Error(`${file} is not a valid backup of Latchkey: ${(error as Error).message}`, { cause: error });
  } finally {
    database?.close();
  }
}

/**
 * Replaces a database that no server uses with a copy. At every moment the path holds a whole database, either the old
 * one or the new one. The old one is kept under another name.
 *
 * @param keepAs new path of the old database; must not exist yet
 * @param prepare changes the new database, given by its path, before it takes its place
 * @returns whether there was an old database
 * @throws when a server uses the database, the copy cannot be written, or `prepare` throws; the database is unchanged
 *   then
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
    // Removes the leftover of an interrupted restore. No other process writes here while the lock is held.
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

/** Removes an unfinished file and the files that SQLite created beside it. */
function removeWithLog(file: string): void {
  for (const each of [file, `${file}-wal`, `${file}-shm`, `${file}-journal`]) rmSync(each, { force: true });
}

/** A database with a second name, and no log beside the first one. */
interface KeptDatabase {
  /** Removes the second name and restores the former state. */
  undo(): void;
}

/**
 * Writes the log of a database back into its file and gives the file a second name. Removes the log and its index
 * beside the first name, because the next database at this path would read them as its own. If the file is too damaged
 * to write the log back, the log moves to the second name, too.
 *
 * @throws when the log cannot be written back because the disk is full or another program reads the file; nothing is
 *   changed then
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

/** Writes the log of a database back into its file; returns false if the file is too damaged for that. */
function settleLog(file: string): boolean {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS });
    const result = database.prepare('pragma wal_checkpoint(truncate)').get();
    if (result?.busy === 1) throw new Error('another program is reading it');
    return true;
  } catch (error) {
    if (isDamage(error)) return false;
    const reason = (error as Error).message;
    throw new Error(`The current database ${file} cannot be moved aside: ${reason}. Nothing was changed.`, {
      cause: error,
    });
  } finally {
    database?.close();
  }
}

/** Gives a file a second name; copies it if the file system has no hard links. @throws when the name is taken */
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

/** Creates an empty file that only its owner can read: it will hold license keys and signing keys. */
function makeEmpty(file: string): void {
  closeSync(openSync(file, 'wx', 0o600));
}

/** Flushes the directory entry of a file to disk. Windows cannot open directories, and does not need this. */
function syncDirectory(file: string): void {
  if (process.platform !== 'win32') syncFile(dirname(file), 'r');
}

function syncFile(path: string, flags = 'r+'): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
