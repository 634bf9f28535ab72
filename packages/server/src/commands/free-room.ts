/** Says how much room is left where a command has failed: SQLite calls a full disk `disk I/O error` as often as not. */
import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A disk with less room than the database and this is named. */
const ROOM_BESIDE_DATABASE = 16 * 1024 * 1024;

/**
 * Does something, and adds to the message of a failure how much room there is on the disks of some files, where that is
 * little.
 *
 * @param databaseFile the SQLite database that is worked on, whose size is what a command may need
 * @param files where something is written, there yet or not
 */
export async function tellingRoom<T>(
  databaseFile: string,
  files: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const needed = (statSync(databaseFile, { throwIfNoEntry: false })?.size ?? 0) + ROOM_BESIDE_DATABASE;
    const folders = [...new Set(files.map((file) => dirname(file)))];
    const short = folders.flatMap((folder) => {
      const free = freeBytes(folder);
      return free === null || free >= needed ? [] : [`The disk of ${folder} has only ${free} bytes free.`];
    });
    if (short.length === 0) throw error;
    const message = (error as Error).message.replace(/(?<![.!?])$/, '.');
    throw new Error(`${message} ${short.join(' ')}`, { cause: error });
  }
}

/** Null where that cannot be known. */
function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
