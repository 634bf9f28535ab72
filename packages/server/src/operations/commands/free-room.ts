/** Reports the free disk space when a command has failed, because SQLite often calls a full disk `disk I/O error`. */
import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { counted } from '../../ground/base/count-words.ts';

/** A disk is named if it has less free space than the size of the database plus this. */
const ROOM_BESIDE_DATABASE = 16 * 1024 * 1024;

/**
 * Runs `work`, and adds to the message of its failure the free space on the disks of some files, if it is little.
 *
 * @param databaseFile the SQLite database of the command; its size is the space that the command may need
 * @param files files that the command writes, existing or not
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
      return free === null || free >= needed ? [] : [`The disk of ${folder} has only ${counted(free, 'byte')} free.`];
    });
    if (short.length === 0) throw error;
    const message = (error as Error).message.replace(/(?<![.!?])$/, '.');
    throw new Error(`${message} ${short.join(' ')}`, { cause: error });
  }
}

/** Returns null if it cannot be determined. */
function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
