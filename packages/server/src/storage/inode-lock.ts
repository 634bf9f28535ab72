/**
 * Locks a file by its inode, so that each of its names meets one lock: symbolic and hard links, mounted paths. Node.js has
 * no call for that. The program `flock` of Linux locks a file that it inherits open; the lock belongs to the open file, so
 * it stays when the program ends, and ends with this process.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { isOnLocalFileSystem } from './local-file-system.ts';

/** The descriptor by which the program inherits the file. */
const INHERITED_DESCRIPTOR = 3;
/** What the program ends with when somebody else has the lock. */
const TAKEN_STATUS = 1;

/** What came of an attempt; `unknown` where inodes cannot be locked. */
export type InodeLock =
  | { readonly state: 'held'; release(): void }
  | { readonly state: 'taken' }
  | { readonly state: 'unknown' };

/**
 * Tries to lock a file that is there.
 *
 * To be released when no connection of this process has the file open any more: POSIX ends all locks that a process has on
 * a file when it closes any descriptor of it, those of SQLite included.
 *
 * @throws when the file cannot be opened
 */
export function lockInode(file: string): InodeLock {
  if (!isOnLocalFileSystem(file)) return { state: 'unknown' };
  const descriptor = openSync(file, 'r');
  const { status, stderr } = spawnSync('flock', ['-x', '-n', String(INHERITED_DESCRIPTOR)], {
    stdio: ['ignore', 'ignore', 'pipe', descriptor],
  });
  if (status === 0) return { state: 'held', release: () => closeSync(descriptor) };
  closeSync(descriptor);
  // BusyBox ends with the same status when it fails, but says why.
  return { state: status === TAKEN_STATUS && stderr.length === 0 ? 'taken' : 'unknown' };
}
