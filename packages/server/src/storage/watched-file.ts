/**
 * Whether somebody else wrote into a SQLite file that a service has open: a backup copied over it, say. SQLite notices no such
 * thing: it would go on with pages of both files.
 *
 * Only a checkpoint changes the file, and the index of its log (`-shm`) tells of each one, whichever process makes it, before
 * the file changes. So a file that has changed while that index tells of no checkpoint was changed by somebody else. The
 * layout of the three files: https://www.sqlite.org/fileformat2.html and https://www.sqlite.org/walformat.html.
 */
import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { isOnLocalFileSystem } from './local-file-system.ts';
import { LOCK_TIMEOUT_MS, openFile } from './sqlite-connection.ts';

/** The header of the file: sizes of pages and of the file, and how often it was changed. */
export const HEADER_BYTES = 100;
/** The head of the index: two copies of what is in the log, then how far it was written back. */
const INDEX_BYTES = 136;
/** The header of the log. */
const LOG_HEADER_BYTES = 32;

/** Where in the header the size of pages is, and the counter of changes. */
const PAGE_SIZE_AT = 16;
const CHANGE_COUNTER_AT = 24;
/** Where in the index it is told how many frames the log has, and its salts: numbers that are others for each new log. */
const FRAMES_AT = 16;
const SALTS_AT = 32;
const SALTS_BYTES = 8;
/** Where in the index it is told how many frames were written back, and how many are to be by now. */
const WRITTEN_BACK_AT = 96;
const TO_WRITE_BACK_AT = 128;
/** The bytes of the index that change with checkpoints and logs. */
const SALTS = [SALTS_AT, SALTS_AT + SALTS_BYTES] as const;
const WRITTEN_BACK = [WRITTEN_BACK_AT, WRITTEN_BACK_AT + 4] as const;
const TO_WRITE_BACK = [TO_WRITE_BACK_AT, TO_WRITE_BACK_AT + 4] as const;
/** Where in the header of the log its salts are. */
const LOG_SALTS_AT = 16;
const LOG_PAGE_SIZE_AT = 8;
/** The header of a frame of the log: the number of its page, and the salts of the log it belongs to. */
const FRAME_HEADER_BYTES = 24;
const FRAME_SALTS_AT = 8;

/** The three files by their descriptors, which all threads of the process share, and how they were found first. */
export interface WatchedFile {
  readonly file: string;
  readonly database: number;
  readonly index: number;
  readonly log: number;
  /** Whether the time of a change is the kernel's own, so that another one says that there was a change. */
  readonly hasExactTimes: boolean;
  readonly seen: Seen;
}

/** What is seen of the files at one moment. */
export interface Seen {
  readonly bytes: number;
  /** When the file was changed, in milliseconds since 1970; 0 where such times are not exact. */
  readonly changedAt: number;
  readonly header: Uint8Array;
  /** The head of the index. */
  readonly index: Uint8Array;
}

/** Windows lets nobody write over what SQLite has locked. */
const IS_WATCHED = process.platform !== 'win32';

/**
 * Begins to watch a file whose tables are up to date, before anything else of this process opens it.
 *
 * @returns what is watched, and what ends that. To be called when no other connection of this process has the file open:
 *   POSIX ends all locks that a process has on a file when it closes any descriptor of it.
 */
export function watchFile(file: string): { readonly watched: WatchedFile | undefined; close(): void } {
  if (!IS_WATCHED) return { watched: undefined, close() {} };
  // It sees to it that the log and its index are there, and stay: SQLite makes new ones when nobody has them open.
  const anchor = openFile(file, { timeout: LOCK_TIMEOUT_MS });
  const descriptors: number[] = [];
  const open = (path: string) => {
    const descriptor = openSync(path, 'r');
    descriptors.push(descriptor);
    return descriptor;
  };
  const close = () => {
    anchor.close();
    for (const descriptor of descriptors) closeSync(descriptor);
  };
  try {
    // One frame, so that there is a log with salts of its own to begin with.
    anchor.exec('pragma user_version = 0');
    const files = { database: open(file), index: open(`${file}-shm`), log: open(`${file}-wal`) };
    const hasExactTimes = isOnLocalFileSystem(file);
    return { watched: { file, ...files, hasExactTimes, seen: firstLook({ ...files, hasExactTimes }) }, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** The file is looked at before the index: what changes the file later is told of by the index already. */
function firstLook({ database, index, hasExactTimes }: Omit<WatchedFile, 'file' | 'log' | 'seen'>): Seen {
  const { size, mtimeMs } = fstatSync(database);
  const seen = { header: new Uint8Array(HEADER_BYTES), index: new Uint8Array(INDEX_BYTES) };
  readSync(database, seen.header, 0, HEADER_BYTES, 0);
  readSync(index, seen.index, 0, INDEX_BYTES, 0);
  return { ...seen, bytes: size, changedAt: hasExactTimes ? mtimeMs : 0 };
}

/** Looks at a watched file again and again, for one thread. Each batch waits for a look, so one allocates nothing. */
export class FileLook {
  readonly #watched: WatchedFile;
  /** Told when the file was written, or its log begun anew, by SQLite itself. */
  readonly #changed: (seen: Seen) => void;
  readonly #logHeader = Buffer.alloc(LOG_HEADER_BYTES);
  #bytes: number;
  #changedAt: number;
  #header: Buffer<ArrayBuffer>;
  #index: Buffer<ArrayBuffer>;
  /** What the present look reads; takes the place of the last one. */
  #nextHeader = Buffer.alloc(HEADER_BYTES);
  #nextIndex = Buffer.alloc(INDEX_BYTES);

  constructor(watched: WatchedFile, changed: (seen: Seen) => void = () => {}) {
    this.#watched = watched;
    this.#changed = changed;
    this.#bytes = watched.seen.bytes;
    this.#changedAt = watched.seen.changedAt;
    this.#header = Buffer.from(watched.seen.header);
    this.#index = Buffer.from(watched.seen.index);
  }

  /** What somebody else did to the file since the last look, in words; undefined where nobody did anything. */
  foreignWrite(): string | undefined {
    // The file before the index: what changes the file later is told of by the index already.
    const { size, mtimeMs } = this.#readFile();
    readSync(this.#watched.index, this.#nextIndex, 0, INDEX_BYTES, 0);
    const isSameHeader = this.#header.equals(this.#nextHeader);
    const isSameTime = !this.#watched.hasExactTimes || mtimeMs === this.#changedAt;
    const isSameFile = size === this.#bytes && isSameTime && isSameHeader;
    const isSameIndex = areAtSamePoint(this.#index, this.#nextIndex);
    if (isSameFile && isSameIndex) return undefined;
    if (!isSameFile) {
      const sign =
        size !== this.#bytes
          ? `its size changed from ${this.#bytes} to ${size} bytes`
          : isSameHeader
            ? 'the time of its last change is another one'
            : 'its header changed';
      if (!tellsOfCheckpoint(this.#index, this.#nextIndex)) return `${sign}, which no checkpoint did`;
      if (!mayFollow(this.#header, this.#nextHeader)) return `${sign} to that of another database`;
    }
    // The file once more: the checkpoint of which the index told may have ended after the file was read.
    const after = this.#readFile();
    this.#bytes = after.size;
    this.#changedAt = after.mtimeMs;
    [this.#header, this.#nextHeader] = [this.#nextHeader, this.#header];
    [this.#index, this.#nextIndex] = [this.#nextIndex, this.#index];
    this.#changed(this.seen);
    return undefined;
  }

  #readFile(): Stats {
    const { database } = this.#watched;
    const stats = fstatSync(database);
    if (readSync(database, this.#nextHeader, 0, HEADER_BYTES, 0) < HEADER_BYTES) this.#nextHeader.fill(0);
    return stats;
  }

  /** What somebody else did to the log until the last look at the file; undefined where nobody did anything. */
  foreignLog(): string | undefined {
    const { index, log } = this.#watched;
    for (;;) {
      if (readSync(log, this.#logHeader, 0, LOG_HEADER_BYTES, 0) < LOG_HEADER_BYTES) this.#logHeader.fill(0);
      if (this.#index.readUInt32LE(FRAMES_AT) === 0) return undefined;
      if (
        this.#logHeader.compare(
          this.#index,
          SALTS_AT,
          SALTS_AT + SALTS_BYTES,
          LOG_SALTS_AT,
          LOG_SALTS_AT + SALTS_BYTES,
        ) === 0
      )
        return undefined;
      readSync(index, this.#nextIndex, 0, INDEX_BYTES, 0);
      // A command beside the service may have begun a new log in between.
      if (isEqual(this.#index, this.#nextIndex, SALTS)) return 'its log (-wal) was overwritten';
      this.#nextIndex.copy(this.#index);
    }
  }

  /** Whether the log has no name any more, so that a crash would lose what is in it alone. */
  get isLogDeleted(): boolean {
    return fstatSync(this.#watched.log).nlink === 0;
  }

  /** What the last look saw. */
  get seen(): Seen {
    return { bytes: this.#bytes, changedAt: this.#changedAt, header: this.#header, index: this.#index };
  }
}

/** The salts in the head of an index. */
export function saltsOf(index: Uint8Array): Uint8Array {
  return index.subarray(SALTS_AT, SALTS_AT + SALTS_BYTES);
}

/** The frames of a log: pages as they were after changes. */
export class FramesOfLog {
  readonly salts: Uint8Array;
  readonly #log: number;
  readonly #pageBytes: number;

  private constructor(log: number, header: Buffer) {
    this.#log = log;
    this.salts = header.subarray(LOG_SALTS_AT, LOG_SALTS_AT + SALTS_BYTES);
    this.#pageBytes = header.readUInt32BE(LOG_PAGE_SIZE_AT);
  }

  /** @returns undefined where the log is empty, or none */
  static read(log: number): FramesOfLog | undefined {
    const header = Buffer.alloc(LOG_HEADER_BYTES);
    const read = readSync(log, header, 0, LOG_HEADER_BYTES, 0);
    if (read < LOG_HEADER_BYTES || header.readUInt32BE(LOG_PAGE_SIZE_AT) === 0) return undefined;
    return new FramesOfLog(log, header);
  }

  /** The numbers of the pages. */
  pages(): ReadonlySet<number> {
    return new Set([...this.#frames()].map(({ page }) => page));
  }

  /** The headers that the file had, or is to have, by the frames of its first page. */
  headers(): readonly Buffer[] {
    return [...this.#frames()].flatMap(({ page, at }) => {
      if (page !== 1) return [];
      const header = Buffer.alloc(HEADER_BYTES);
      readSync(this.#log, header, 0, HEADER_BYTES, at);
      return [header];
    });
  }

  /** The frames of this log; behind them may be some of an earlier one. */
  *#frames(): Generator<{ readonly page: number; readonly at: number }> {
    const header = Buffer.alloc(FRAME_HEADER_BYTES);
    for (let at = LOG_HEADER_BYTES; ; at += FRAME_HEADER_BYTES + this.#pageBytes) {
      const read = readSync(this.#log, header, 0, FRAME_HEADER_BYTES, at);
      const salts = header.subarray(FRAME_SALTS_AT, FRAME_SALTS_AT + SALTS_BYTES);
      if (read < FRAME_HEADER_BYTES || !salts.equals(this.salts)) return;
      yield { page: header.readUInt32BE(0), at: at + FRAME_HEADER_BYTES };
    }
  }
}

/** Whether two heads of an index agree in some of their bytes. */
function isEqual(one: Buffer, other: Buffer, [from, to]: readonly [number, number]): boolean {
  return one.compare(other, from, to, from, to) === 0;
}

/** Whether no checkpoint and no new log came between two heads of an index. */
function areAtSamePoint(one: Buffer, other: Buffer): boolean {
  return isEqual(one, other, SALTS) && isEqual(one, other, WRITTEN_BACK) && isEqual(one, other, TO_WRITE_BACK);
}

/**
 * Whether frames of the log were written back between two looks, or are being written back. A new log (other salts) may mean
 * so: a log is begun anew when all of it was written back, by whichever process.
 */
function tellsOfCheckpoint(before: Buffer, now: Buffer): boolean {
  const isUnderWay = now.compare(now, ...TO_WRITE_BACK, ...WRITTEN_BACK) !== 0;
  return isUnderWay || !areAtSamePoint(before, now);
}

/** Whether a header may be what a checkpoint made of another: pages of the same size, and no fewer changes. */
function mayFollow(before: Buffer, now: Buffer): boolean {
  if (before.readUInt16BE(PAGE_SIZE_AT) !== now.readUInt16BE(PAGE_SIZE_AT)) return false;
  // The counter begins anew after 2^32 changes.
  return (now.readUInt32BE(CHANGE_COUNTER_AT) - before.readUInt32BE(CHANGE_COUNTER_AT)) >>> 0 < 2 ** 31;
}
