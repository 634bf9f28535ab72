/**
 * Whether an open database file still exists at its path. A file that was deleted or replaced still accepts writes, but
 * all of them are lost when the process ends.
 */
import { statSync } from 'node:fs';

/** Which file it is, whatever its name: the device and the number of the file on it. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
}

/** Windows lets nobody delete, rename or replace a file that a database has open. */
const IS_CHECKED = process.platform !== 'win32';

/** The file at a path; undefined when none is there. */
export function identityOf(file: string): FileIdentity | undefined {
  if (!IS_CHECKED) return { device: 0n, inode: 0n };
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats && { device: stats.dev, inode: stats.ino };
}

/** Whether a path still leads to the file. @throws when the file system cannot say */
export function isStillAt(file: string, known: FileIdentity): boolean {
  if (!IS_CHECKED) return true;
  const found = identityOf(file);
  return found !== undefined && found.inode === known.inode && found.device === known.device;
}

/** Sentences for the operator about a file that is there under several names. */
export function hardLinkWarnings(file: string): string[] {
  const stats = IS_CHECKED ? statSync(file, { throwIfNoEntry: false }) : undefined;
  if (stats === undefined || stats.nlink === 1) return [];
  return [
    `${file} has ${stats.nlink} names (hard links). The others are no backups: they change with it and lack its log. ` +
      'Use the command backup for copies, and start a service or a command on this name only.',
  ];
}
