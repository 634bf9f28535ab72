/**
 * A reserve of disk space beside a SQLite file: a file of random bytes that is deleted when the disk is full.
 *
 * What was committed last is in the log (`-wal`), and the pages that it adds have no place in the database file yet. Once
 * the disk is full they get none, the log can neither be written back nor begun anew, and not even a delete finds room
 * for itself: such a database stays full until somebody makes room. The reserve is that room. It is as large as a log
 * that is due to be written back (`wal_autocheckpoint`), and some more.
 */
import { realpathSync, statfsSync, statSync, unlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { MINUTE_MS } from '../clock.ts';
import { mintBytes } from '../random.ts';

const MEBIBYTE = 1024 * 1024;
/** The size of the reserve. */
const RESERVE_BYTES = 40 * MEBIBYTE;
/** With less than this left a disk counts as full. It is more than a deleted reserve leaves, which is not to be grown into. */
const LEAST_FREE_BYTES = 48 * MEBIBYTE;
/** A disk that is smaller has no reserve, and counts as full with less than an eighth left. */
const SMALL_DISK_BYTES = 160 * MEBIBYTE;
/** A service finds it hard to start with less. */
const LEAST_FREE_BYTES_AT_START = 8 * MEBIBYTE;

/** The path of the reserve of a database file, whichever of its names is given: on the same disk as the file itself. */
function reserveOf(file: string): string {
  return `${realpathSync(file)}-reserve`;
}

/** The disk of a database file. One that tells nothing of itself has room. */
function diskOf(file: string): { readonly freeBytes: number; readonly bytes: number } {
  try {
    const { bavail, blocks, bsize } = statfsSync(dirname(realpathSync(file)));
    return { freeBytes: bavail * bsize, bytes: blocks * bsize };
  } catch {
    return { freeBytes: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER };
  }
}

/** Whether the disk of a database file has too little room for it to grow. */
export function isDiskShort(file: string): boolean {
  const { freeBytes, bytes } = diskOf(file);
  return freeBytes < (bytes < SMALL_DISK_BYTES ? bytes / 8 : LEAST_FREE_BYTES);
}

/**
 * How much of a full disk the log may keep for itself, in bytes: as much as it usually has. A group of transactions that did
 * not fit may have left it longer.
 */
export function logBytesOfFullDisk(file: string): number {
  return Math.min(32 * MEBIBYTE, Math.floor(diskOf(file).bytes / 8));
}

/** Gives the space of the reserve back to the disk; answers whether there was one. */
export function releaseReserve(file: string): boolean {
  try {
    unlinkSync(reserveOf(file));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** The same where a service that starts would find no room for the files that it needs. */
export function makeRoomToStart(file: string): void {
  if (diskOf(file).freeBytes < LEAST_FREE_BYTES_AT_START) releaseReserve(file);
}

/**
 * Makes the reserve of a database file, if it is not there and the disk does not get full by it.
 *
 * @throws what the file system throws; what was written of it is completed by the next call
 */
export async function makeReserve(file: string): Promise<void> {
  const path = reserveOf(file);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const { freeBytes, bytes } = diskOf(file);
  if (size >= RESERVE_BYTES || bytes < SMALL_DISK_BYTES || freeBytes < RESERVE_BYTES + LEAST_FREE_BYTES) return;
  const reserve = await open(path, 'a', 0o600);
  try {
    // Random, because file systems keep zeros and repetitions in no space at all.
    for (let written = size; written < RESERVE_BYTES; written += MEBIBYTE) await reserve.write(mintBytes(MEBIBYTE));
  } finally {
    await reserve.close();
  }
}

/**
 * Makes the reserve once a minute where it is missing, beginning a minute from now.
 *
 * @returns stops: resolves when what is under way has ended
 */
export function startKeepingReserve(file: string, onFailure: (error: unknown) => void): () => Promise<void> {
  let making: Promise<void> | null = null;
  const timer = setInterval(() => {
    making ??= makeReserve(file)
      .catch(onFailure)
      .finally(() => (making = null));
  }, MINUTE_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await making;
  };
}
