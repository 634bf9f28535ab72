/**
 * Allows one server process per SQLite file: the data that a process keeps in memory stays correct because no other
 * process writes licenses. The claim consists of operating system locks on the names of the file and on its inode
 * (decision 24). The system releases them however the process ends.
 */
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { lockInode } from './inode-lock.ts';
import { openFile } from './sqlite-connection.ts';
import { isBusy } from './sqlite-errors.ts';

/** A lock on a database file that this process holds. */
export interface FileLock {
  /** Releases the lock. To be called when no connection of this process has the file open any more. */
  release(): void;
}

/** Another process holds the lock of a SQLite file. */
export class FileInUseError extends Error {
  override readonly name = 'FileInUseError';
}

/**
 * Locks a database file for a server. A file that does not exist yet is locked by its name alone.
 *
 * @param locksInode false to lock an existing file by its name alone, too
 * @throws when another server holds a lock, or when the file system cannot lock
 */
export function lockSqliteFile(file: string, locksInode = true): FileLock {
  const held: FileLock[] = [];
  const release = () => {
    for (const lock of held.splice(0).reverse()) lock.release();
  };
  const refuse = (): never => {
    throw new FileInUseError(
      `another Latchkey server is using ${file}; stop it, or give this one its own data directory`,
    );
  };
  try {
    for (const name of namesOf(file)) held.push(lockName(name) ?? refuse());
    if (locksInode && existsSync(file)) {
      const lock = lockInode(file);
      if (lock.state === 'taken') refuse();
      if (lock.state === 'held') held.push(lock);
    }
    return { release };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * The names by which a file is locked: the given one, because older builds lock no other, and the one that symbolic
 * links lead to. One name if both are the same.
 */
function namesOf(file: string): ReadonlySet<string> {
  const given = join(realPathOf(dirname(resolve(file))), basename(file));
  return new Set([given, realPathOf(given)]);
}

/** The target of symbolic links, even if no file exists there. @throws when the links form a circle */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink ? realPathOf(resolve(dirname(path), readlinkSync(path))) : path;
}

/** Locks a name of a file. @returns undefined when another process holds the lock */
function lockName(name: string): FileLock | undefined {
  const lock = openFile(`${name}-server`, { timeout: 0 });
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return { release: () => lock.close() };
}
