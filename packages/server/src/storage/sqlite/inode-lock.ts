/**
 * Locks a file by its inode, so that all its names share one lock: symbolic links, hard links and mounted paths.
 * Node.js has no call for that. Linux's program `flock` locks an inherited open file. The lock belongs to the open
 * file, so it outlives the program and ends with this process.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { isOnLocalFileSystem } from './local-file-system.ts';

/** The descriptor of the file in the program. */
const INHERITED_DESCRIPTOR = 3;
/** The program's exit status when another process holds the lock. */
const TAKEN_STATUS = 1;

/** Result of an attempt; `unknown` if inodes cannot be locked. */
export type InodeLock =
  | { readonly state: 'held'; release(): void }
  | { readonly state: 'taken' }
  | { readonly state: 'unknown' };

/**
 * Tries to lock an existing file.
 *
 * Release the lock only when no connection of this process has the file open any more: when a process closes any
 * descriptor of a file, POSIX ends all its locks on the file, including those of SQLite.
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
  // BusyBox exits with the same status when it fails, but prints the reason.
  return { state: status === TAKEN_STATUS && stderr.length === 0 ? 'taken' : 'unknown' };
}
