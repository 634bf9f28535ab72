/**
 * A reserve of disk space beside a SQLite file: a file of random bytes that is deleted when the disk is full.
 *
 * The latest commits are in the log (`-wal`), and the pages that they add have no place in the database file yet. Once
 * the disk is full, these pages cannot be placed, the log can be neither written back nor restarted, and even a delete
 * finds no room. Such a database stays full until somebody frees space. The reserve is that space: slightly larger than
 * a log that is due to be written back (`wal_autocheckpoint`).
 */
import { realpathSync, statfsSync, statSync, unlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { mintBytes } from '../../ground/base/random.ts';

const MEBIBYTE = 1024 * 1024;
const RESERVE_BYTES = 40 * MEBIBYTE;
/**
 * A disk with less free space counts as full. Larger than the reserve, so that the file does not grow into its space.
 */
const LEAST_FREE_BYTES = 48 * MEBIBYTE;
/** A smaller disk has no reserve, and counts as full when less than an eighth is free. */
const SMALL_DISK_BYTES = 160 * MEBIBYTE;
/** A service may fail to start with less free space. */
const LEAST_FREE_BYTES_AT_START = 8 * MEBIBYTE;

/**
 * The path of a database file's reserve. It is the same for all symbolic links to the file, and on the file's own disk.
 */
function reserveOf(file: string): string {
  return `${realpathSync(file)}-reserve`;
}

/** Size and free space of a database file's disk. A disk that reports neither counts as unlimited. */
function diskOf(file: string): { readonly freeBytes: number; readonly bytes: number } {
  try {
    const { bavail, blocks, bsize } = statfsSync(dirname(realpathSync(file)));
    return { freeBytes: bavail * bsize, bytes: blocks * bsize };
  } catch {
    return { freeBytes: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER };
  }
}

/** Whether the disk of a database file has too little space for the file to grow. */
export function isDiskShort(file: string): boolean {
  const { freeBytes, bytes } = diskOf(file);
  return freeBytes < (bytes < SMALL_DISK_BYTES ? bytes / 8 : LEAST_FREE_BYTES);
}

/**
 * Size in bytes to which the log is cut back on a full disk: its usual size. A group of transactions that did not fit
 * may have left it longer.
 */
export function logBytesOfFullDisk(file: string): number {
  return Math.min(32 * MEBIBYTE, Math.floor(diskOf(file).bytes / 8));
}

/**
 * Deletes the reserve; returns whether that gave space. A copy-on-write file system that is full may refuse to delete;
 * the database is as full then as without a reserve.
 */
export function releaseReserve(file: string): boolean {
  try {
    unlinkSync(reserveOf(file));
    return true;
  } catch {
    return false;
  }
}

/** Deletes the reserve if the disk lacks the space for the files that a starting service needs. */
export function makeRoomToStart(file: string): void {
  if (diskOf(file).freeBytes < LEAST_FREE_BYTES_AT_START) releaseReserve(file);
}

/**
 * Creates the reserve of a database file if it is missing and does not fill the disk.
 *
 * @throws errors of the file system; the next call completes a reserve that is too short
 */
export async function makeReserve(file: string): Promise<void> {
  const path = reserveOf(file);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const { freeBytes, bytes } = diskOf(file);
  if (size >= RESERVE_BYTES || bytes < SMALL_DISK_BYTES || freeBytes < RESERVE_BYTES + LEAST_FREE_BYTES) return;
  const reserve = await open(path, 'a', 0o600);
  try {
    // Random bytes, because file systems may store zeros and repetitions in no space at all.
    for (let written = size; written < RESERVE_BYTES; written += MEBIBYTE) await reserve.write(mintBytes(MEBIBYTE));
  } finally {
    await reserve.close();
  }
}
