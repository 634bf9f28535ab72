/**
 * Whether an open database file still exists at its path. A file that was deleted or replaced still accepts writes, but
 * all of them are lost when the process ends.
 */
import { accessSync, constants, existsSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';

/** Identity of a file under any name: its device and its inode number. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
}

/** Windows does not allow deleting, renaming or replacing a file that a database has open. */
const IS_CHECKED = process.platform !== 'win32';

/** The identity of the file at a path; undefined if there is none. */
export function identityOf(file: string): FileIdentity | undefined {
  if (!IS_CHECKED) return { device: 0n, inode: 0n };
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats && { device: stats.dev, inode: stats.ino };
}

/** Whether a path still leads to the file. @throws when the file system fails */
export function isStillAt(file: string, known: FileIdentity): boolean {
  if (!IS_CHECKED) return true;
  const found = identityOf(file);
  return found !== undefined && found.inode === known.inode && found.device === known.device;
}

/** The inode number of the file at a path, for notes about it. */
export const inodeOf = (file: string): string => String(identityOf(file)?.inode);

/** Writes a note about a database file beside it, for the next start. Failing to write it (a full disk) is no error. */
export function leaveNote(path: string, file: string, reason: string): void {
  try {
    writeFileSync(path, `${JSON.stringify({ inode: inodeOf(file), reason })}\n`, { mode: 0o600 });
  } catch {
    // The next start meets the reason itself.
  }
}

/** Warnings for the operator about a file that has several hard links. */
export function hardLinkWarnings(file: string): string[] {
  const stats = IS_CHECKED ? statSync(file, { throwIfNoEntry: false }) : undefined;
  if (stats === undefined || stats.nlink === 1) return [];
  return [
    `${file} has ${stats.nlink} names (hard links). The others are not backups: they change with it and lack its log. ` +
      'Use the command backup for copies, and start a service or a command on this name only.',
  ];
}

/**
 * The reason why this user cannot write the database: its file, a file of its log, or the folder in which SQLite makes
 * the log. Null if there is none.
 */
export function writeFault(file: string): string | null {
  const needed = [file, `${file}-wal`, `${file}-shm`, dirname(file)];
  const locked = needed.find((path) => existsSync(path) && !isWritable(path));
  return locked === undefined
    ? null
    : `${locked} cannot be written by ${userName()}, as whom Latchkey runs here. Make that user its owner, or run as its owner.`;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** In containers, a user may have a number and no name. */
function userName(): string {
  try {
    return `the user ${userInfo().username}`;
  } catch {
    return `the user with the number ${process.getuid?.()}`;
  }
}
