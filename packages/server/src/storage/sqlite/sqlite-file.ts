/**
 * Whether an open database file still exists at its path. A file that was deleted or replaced still accepts writes, but
 * all of them are lost when the process ends.
 */
import { statSync, writeFileSync } from 'node:fs';

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
