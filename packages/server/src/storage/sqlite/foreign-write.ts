/**
 * Handles a SQLite file that another program overwrote while the service had it open. The remains of the earlier
 * database (its log, and pages in memory) are saved beside the file, and no start serves the file until a person
 * removes the marker.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { systemClock, toTimestamp } from '../../ground/base/clock.ts';
import { StorageAway } from '../contract/storage.ts';
import type { Connection } from './sqlite-connection.ts';
import { findDamage } from './sqlite-damage.ts';
import { inodeOf, leaveNote } from './sqlite-file.ts';
import { FramesOfLog, HEADER_BYTES, type Seen, saltsOf, type WatchedFile } from './watched-file.ts';

/** Largest database, in bytes, whose pages are saved: saving reads the whole database into memory. */
const LARGEST_IN_MEMORY = 1024 * 1024 * 1024;

type Descriptors = Pick<WatchedFile, 'database' | 'log'>;

/** The memory of a service: the connection that writes, and the descriptor of its file. */
export interface Memory {
  readonly connection: Connection['database'];
  readonly database: number;
}

/** Path of the marker that a foreign write leaves beside the file. */
const noteOf = (file: string) => `${file}-overwritten`;
/** Path of the file that stores the last look of a service at its database file. */
const seenOf = (file: string) => `${file}-seen`;

/** Stored form of {@link Seen}. */
interface KeptSeen {
  readonly inode: string;
  readonly bytes: number;
  readonly changedAt: number;
  readonly header: string;
  readonly salts: string;
}

/**
 * Stores the last look at the file for the next start: the program that overwrites the file may also kill the process.
 * Not synced to disk: after a power cut an older look only makes the next start read the whole file.
 */
export function keepSeen(file: string, { bytes, changedAt, header, index }: Seen): void {
  const salts = hexOf(saltsOf(index));
  const kept: KeptSeen = { inode: inodeOf(file), bytes, changedAt, header: hexOf(header), salts };
  try {
    writeFileSync(seenOf(file), JSON.stringify(kept), { mode: 0o600 });
  } catch {
    // Disk full: the next start compares with an older look.
  }
}

/**
 * Refuses a file that another program overwrote while a service had it open, or after a service was killed and left its
 * log behind: SQLite would write that log into a file it does not belong to. Call it under the file lock, before the
 * file is opened.
 *
 * @throws an error that says what to do; the reason of the signal
 */
export async function refuseOverwrittenFile(file: string, signal?: AbortSignal): Promise<void> {
  refuseNoted(file);
  rmSync(noteOf(file), { force: true });
  const sign = await signOfForeignWrite(file, signal);
  if (sign === undefined) return;
  const reason = `${sign} while the log of a killed service was beside it`;
  noteForeignWrite(file, reason);
  const log = openSync(`${file}-wal`, 'r');
  try {
    saveEarlier({ file, log }, reason);
  } finally {
    closeSync(log);
  }
  // Not read back from the marker: a full disk may not have taken it.
  throw refusal(file, reason);
}

/** Refuses a file whose marker records a foreign write. @throws an error that says what to do */
export function refuseNoted(file: string): void {
  const note = readJson<{ readonly inode: unknown; readonly reason: unknown }>(noteOf(file));
  if (note?.inode === inodeOf(file)) throw refusal(file, String(note.reason));
}

function refusal(file: string, reason: string): StorageAway {
  return new StorageAway(
    `Another program wrote into ${file} (${reason}). The remains of the earlier database are in ` +
      `${directoryOf(file, '*')}. Restore a backup, or remove ${noteOf(file)} to serve the file as it is: see "A file was copied ` +
      'over the database" in docs/operations.md.',
  );
}

/** Leaves the marker of a foreign write beside the file. The stored last look lets the next start find it, too. */
export function noteForeignWrite(file: string, reason: string): void {
  leaveNote(noteOf(file), file, reason);
}

/** Returns the sign that the log belongs to another file; undefined if there is none. */
async function signOfForeignWrite(file: string, signal?: AbortSignal): Promise<string | undefined> {
  const seen = readJson<KeptSeen>(seenOf(file));
  if (seen === undefined || seen.inode !== inodeOf(file) || !existsSync(`${file}-wal`)) return undefined;
  const [database, log] = [openSync(file, 'r'), openSync(`${file}-wal`, 'r')];
  let isExplained: boolean;
  try {
    const frames = FramesOfLog.read(log);
    if (frames === undefined || hexOf(frames.salts) !== seen.salts) return undefined;
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(database, header, 0, HEADER_BYTES, 0);
    const { size, mtimeMs } = fstatSync(database);
    const isSameHeader = hexOf(header) === seen.header;
    if (isSameHeader && size === seen.bytes && (seen.changedAt === 0 || mtimeMs === seen.changedAt)) return undefined;
    isExplained = isSameHeader || frames.headers().some((each) => each.equals(header));
  } finally {
    // Nothing of this process has the file open yet.
    for (const descriptor of [database, log]) closeSync(descriptor);
  }
  if (!isExplained) return 'its header is that of another database';
  // A checkpoint that was running when the process was killed has changed the file, too.
  const faults = await findDamage(file, undefined, signal);
  return faults.length === 0 ? undefined : `it was changed, and does not agree with its log: ${faults[0]}`;
}

/**
 * Saves the remains of the earlier database: its log, and the pages in the memory of the writing connection. Then
 * empties the log beside the file, because SQLite would write it into the file when the service stops.
 *
 * @param memory given while the service still runs
 * @returns the directory of the saved files
 * @throws if the disk takes none of it; the log is then left as it is
 */
export function saveEarlier({ file, log }: Pick<WatchedFile, 'file' | 'log'>, reason: string, memory?: Memory): string {
  const directory = directoryOf(file, toTimestamp(systemClock()).replaceAll(':', ''));
  mkdirSync(directory, { mode: 0o700 });
  save(join(directory, 'latchkey.db-wal'), readAll(log));
  let pages = 'There are none: the service was no longer running';
  try {
    if (memory !== undefined) pages = savePages({ database: memory.database, log }, memory.connection, directory);
  } catch (error) {
    pages = `They could not be read: ${(error as Error).message}`;
  }
  save(join(directory, 'README.txt'), readme(file, reason, pages));
  if (existsSync(`${file}-wal`)) truncateSync(`${file}-wal`, 0);
  return directory;
}

const directoryOf = (file: string, time: string) => `${file}.foreign-write-${time}`;

function readme(file: string, reason: string, pages: string): string {
  return `Another program wrote into ${file} while a service used it: ${reason}.

latchkey.db-wal
  The log that was beside the database file. It has every page that changed since the log last began, as it was after each
  change: the newest changes, all of them acknowledged, up to about 30 MB. It belongs to the earlier file. If its header
  (salts) was overwritten, too, it belongs to the file that the other program put there.

pages.bin, pages.json
  Pages of the earlier database that are not in the log, one after the other, and their page numbers. ${pages}.

Missing: all other pages of the earlier database, because they were overwritten. The log and these pages are not a database by
themselves. They fit a copy of the earlier file that was made page by page (a snapshot of the disk), but not a copy by the
command backup, whose pages differ.

What to do: see "A file was copied over the database" in docs/operations.md.
`;
}

/**
 * Saves the pages whose copy in memory differs from the file, except those in the log.
 *
 * @returns a sentence about the result, for the README beside the pages
 */
function savePages({ database, log }: Descriptors, connection: Connection['database'], directory: string): string {
  // Pages that were only read are mapped from the file, which now holds other content.
  connection.exec('pragma mmap_size = 0');
  const pageBytes = numberOf(connection, 'page_size');
  if (numberOf(connection, 'page_count') * pageBytes > LARGEST_IN_MEMORY)
    return `They were not saved, because the database is larger than ${LARGEST_IN_MEMORY} bytes`;
  const known = connection.serialize();
  const inLog = FramesOfLog.read(log)?.pages() ?? new Set();
  const present = Buffer.alloc(pageBytes);
  const numbers: number[] = [];
  const saved: Uint8Array[] = [];
  for (let number = 1; number * pageBytes <= known.length; number += 1) {
    const page = known.subarray((number - 1) * pageBytes, number * pageBytes);
    const read = readSync(database, present, 0, pageBytes, (number - 1) * pageBytes);
    if (inLog.has(number) || (read === pageBytes && present.equals(page))) continue;
    numbers.push(number);
    saved.push(page);
  }
  save(join(directory, 'pages.bin'), Buffer.concat(saved));
  save(join(directory, 'pages.json'), `${JSON.stringify({ pageBytes, numbers })}\n`);
  return `Number of pages: ${numbers.length}`;
}

function numberOf(connection: Connection['database'], pragma: 'page_count' | 'page_size'): number {
  return Number(Object.values(connection.prepare(`pragma ${pragma}`).get() ?? {})[0]);
}

function readAll(descriptor: number): Buffer {
  const bytes = Buffer.alloc(fstatSync(descriptor).size);
  for (let at = 0; at < bytes.length; ) {
    const read = readSync(descriptor, bytes, at, bytes.length - at, at);
    if (read === 0) return bytes.subarray(0, at);
    at += read;
  }
  return bytes;
}

function save(path: string, content: string | Uint8Array): void {
  writeFileSync(path, content, { flag: 'wx', mode: 0o600, flush: true });
}

function readJson<Kept>(path: string): Kept | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Kept;
  } catch {
    return undefined;
  }
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
