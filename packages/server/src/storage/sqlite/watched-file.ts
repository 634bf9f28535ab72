/**
 * Detects that another program wrote into a SQLite file that a service has open, for example by copying a backup over
 * it. SQLite does not notice that and would go on with pages of both files.
 *
 * Only a checkpoint changes the file, and the index of its log (`-shm`) records each checkpoint of any process before
 * the file changes. So a file that changed without a checkpoint in that index was changed by another program. The
 * layout of the three files: https://www.sqlite.org/fileformat2.html and https://www.sqlite.org/walformat.html.
 */
import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { isOnLocalFileSystem } from './local-file-system.ts';
import { LOCK_TIMEOUT_MS, openFile } from './sqlite-connection.ts';

/** Size of the header of the file: it holds the page size, the size of the file and a change counter. */
export const HEADER_BYTES = 100;
/** Size of the head of the index: two copies of the state of the log, then the progress of checkpoints. */
const INDEX_BYTES = 136;
/** Size of the header of the log. */
const LOG_HEADER_BYTES = 32;

/** Offsets in the header of the file: page size and change counter. */
const PAGE_SIZE_AT = 16;
const CHANGE_COUNTER_AT = 24;
/** Offsets in the index: the number of frames in the log, and its salts, numbers that differ for each new log. */
const FRAMES_AT = 16;
const SALTS_AT = 32;
const SALTS_BYTES = 8;
/**
 * Offsets in the index: the number of frames written back, and the number that the current checkpoint will write back.
 */
const WRITTEN_BACK_AT = 96;
const TO_WRITE_BACK_AT = 128;
/** The bytes of the index from the number of frames to the salts. */
const STATE_OF_LOG = [FRAMES_AT, SALTS_AT + SALTS_BYTES] as const;
/** The bytes of the index that change with checkpoints and logs. */
const SALTS = [SALTS_AT, SALTS_AT + SALTS_BYTES] as const;
const WRITTEN_BACK = [WRITTEN_BACK_AT, WRITTEN_BACK_AT + 4] as const;
const TO_WRITE_BACK = [TO_WRITE_BACK_AT, TO_WRITE_BACK_AT + 4] as const;
/** Offsets in the header of the log: salts and page size. */
const LOG_SALTS_AT = 16;
const LOG_SALTS = [LOG_SALTS_AT, LOG_SALTS_AT + SALTS_BYTES] as const;
const LOG_PAGE_SIZE_AT = 8;
/** The header of a frame of the log: its page number, and the salts of its log. */
const FRAME_HEADER_BYTES = 24;
const FRAME_SALTS_AT = 8;

/** The descriptors of the three files, shared by all threads of the process, and their first look. */
export interface WatchedFile {
  readonly file: string;
  readonly database: number;
  readonly index: number;
  readonly log: number;
  /** Whether modification times come from the local kernel, so that a different time proves a change. */
  readonly hasExactTimes: boolean;
  readonly seen: Seen;
}

/** A look at the files at one moment. */
export interface Seen {
  readonly bytes: number;
  /** Modification time of the file, in milliseconds since 1970; 0 if such times are not exact. */
  readonly changedAt: number;
  readonly header: Uint8Array;
  /** The head of the index. */
  readonly index: Uint8Array;
}

/** Not needed on Windows, where no program can overwrite a file that SQLite has locked. */
const IS_WATCHED = process.platform !== 'win32';

/**
 * Connections that keep the log and its index in existence: SQLite replaces both once no connection has them open. The
 * set refers to them, because Node.js closes a connection that nothing refers to.
 */
const anchors = new Set<ReturnType<typeof openFile>>();

/**
 * Begins to watch a file whose tables are up to date. Call it before this process opens the file elsewhere.
 *
 * @returns the watched file, and `close`, which ends the watch. Call `close` only when no other connection of this
 *   process has the file open: under POSIX, closing any descriptor of a file releases all locks of the process on it.
 */
export function watchFile(file: string): { readonly watched: WatchedFile | undefined; close(): void } {
  if (!IS_WATCHED) return { watched: undefined, close() {} };
  const anchor = openFile(file, { timeout: LOCK_TIMEOUT_MS });
  anchors.add(anchor);
  const descriptors: number[] = [];
  const open = (path: string) => {
    const descriptor = openSync(path, 'r');
    descriptors.push(descriptor);
    return descriptor;
  };
  const close = () => {
    anchor.close();
    anchors.delete(anchor);
    for (const descriptor of descriptors) closeSync(descriptor);
  };
  try {
    // Writes one frame, so that the log exists and has salts.
    anchor.exec('pragma user_version = 0');
    const files = { database: open(file), index: open(`${file}-shm`), log: open(`${file}-wal`) };
    const hasExactTimes = isOnLocalFileSystem(file);
    return { watched: { file, ...files, hasExactTimes, seen: firstLook({ ...files, hasExactTimes }) }, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Reads the file before the index, because the index records a checkpoint before the file changes. */
function firstLook({ database, index, hasExactTimes }: Omit<WatchedFile, 'file' | 'log' | 'seen'>): Seen {
  const { size, mtimeMs } = fstatSync(database);
  const seen = { header: new Uint8Array(HEADER_BYTES), index: new Uint8Array(INDEX_BYTES) };
  readSync(database, seen.header, 0, HEADER_BYTES, 0);
  readSync(index, seen.index, 0, INDEX_BYTES, 0);
  return { ...seen, bytes: size, changedAt: hasExactTimes ? mtimeMs : 0 };
}

/** Looks at a watched file repeatedly, for one thread. Allocates nothing, because every batch waits for a look. */
export class FileLook {
  readonly #watched: WatchedFile;
  /** Called after SQLite itself wrote the file or began a new log. */
  readonly #changed: (seen: Seen) => void;
  readonly #logHeader = Buffer.alloc(LOG_HEADER_BYTES);
  /** Buffers of {@link foreignLog}: the index before and after the header of the log. */
  #indexBefore = Buffer.alloc(INDEX_BYTES);
  #indexAfter = Buffer.alloc(INDEX_BYTES);
  #bytes: number;
  #changedAt: number;
  #header: Buffer<ArrayBuffer>;
  #index: Buffer<ArrayBuffer>;
  /** Buffers of the look in progress; they then take the place of the last one. */
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

  /** Returns the sign of a foreign write since the last look, in words; undefined if there is none. */
  foreignWrite(): string | undefined {
    // The file before the index, because the index records a checkpoint before the file changes.
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
            ? 'the time of its last change differs'
            : 'its header changed';
      if (!tellsOfCheckpoint(this.#index, this.#nextIndex)) return `${sign} without a checkpoint`;
      if (!mayFollow(this.#header, this.#nextHeader)) return `${sign} to that of another database`;
    }
    // The file once more: the recorded checkpoint may have finished after the file was read.
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

  /**
   * Returns the sign of a foreign write to the log; undefined if there is none. Reads the index anew: the last look may
   * be from before the first frame of this log, which changes nothing that the look compares.
   */
  foreignLog(): string | undefined {
    const { index, log } = this.#watched;
    readSync(index, this.#indexBefore, 0, INDEX_BYTES, 0);
    for (;;) {
      if (readSync(log, this.#logHeader, 0, LOG_HEADER_BYTES, 0) < LOG_HEADER_BYTES) this.#logHeader.fill(0);
      if (this.#indexBefore.readUInt32LE(FRAMES_AT) === 0) return undefined;
      if (this.#indexBefore.compare(this.#logHeader, ...LOG_SALTS, ...SALTS) === 0) return undefined;
      readSync(index, this.#indexAfter, 0, INDEX_BYTES, 0);
      // A command that runs beside the service may have begun a new log in between.
      if (isEqual(this.#indexBefore, this.#indexAfter, STATE_OF_LOG)) return 'its log (-wal) was overwritten';
      [this.#indexBefore, this.#indexAfter] = [this.#indexAfter, this.#indexBefore];
    }
  }

  /** Whether the log was deleted, so that a crash would lose the changes that only the log has. */
  get isLogDeleted(): boolean {
    return fstatSync(this.#watched.log).nlink === 0;
  }

  /** The last look. */
  get seen(): Seen {
    return { bytes: this.#bytes, changedAt: this.#changedAt, header: this.#header, index: this.#index };
  }
}

/** The salts in the head of an index. */
export function saltsOf(index: Uint8Array): Uint8Array {
  return index.subarray(SALTS_AT, SALTS_AT + SALTS_BYTES);
}

/** The frames of a log: copies of changed pages. */
export class FramesOfLog {
  readonly salts: Uint8Array;
  readonly #log: number;
  readonly #pageBytes: number;

  private constructor(log: number, header: Buffer) {
    this.#log = log;
    this.salts = header.subarray(LOG_SALTS_AT, LOG_SALTS_AT + SALTS_BYTES);
    this.#pageBytes = header.readUInt32BE(LOG_PAGE_SIZE_AT);
  }

  /** @returns undefined if the log is empty or is not a log */
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

  /** The headers that the file had or will have, from the frames of its first page. */
  headers(): readonly Buffer[] {
    return [...this.#frames()].flatMap(({ page, at }) => {
      if (page !== 1) return [];
      const header = Buffer.alloc(HEADER_BYTES);
      readSync(this.#log, header, 0, HEADER_BYTES, at);
      return [header];
    });
  }

  /** The frames of this log; frames of an earlier log may follow and are left out. */
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

/** Whether two heads of an index agree in a range of bytes. */
function isEqual(one: Buffer, other: Buffer, [from, to]: readonly [number, number]): boolean {
  return one.compare(other, from, to, from, to) === 0;
}

/** Whether neither a checkpoint nor a new log came between two heads of an index. */
function areAtSamePoint(one: Buffer, other: Buffer): boolean {
  return isEqual(one, other, SALTS) && isEqual(one, other, WRITTEN_BACK) && isEqual(one, other, TO_WRITE_BACK);
}

/**
 * Whether a checkpoint wrote frames back between two looks, or is doing so. A new log (other salts) counts as a
 * checkpoint, because a process begins a new log only when all of the old one was written back.
 */
function tellsOfCheckpoint(before: Buffer, now: Buffer): boolean {
  const isUnderWay = now.compare(now, ...TO_WRITE_BACK, ...WRITTEN_BACK) !== 0;
  return isUnderWay || !areAtSamePoint(before, now);
}

/** Whether a checkpoint can turn one header into the other: same page size, and a change counter that did not fall. */
function mayFollow(before: Buffer, now: Buffer): boolean {
  if (before.readUInt16BE(PAGE_SIZE_AT) !== now.readUInt16BE(PAGE_SIZE_AT)) return false;
  // The counter wraps around at 2^32.
  return (now.readUInt32BE(CHANGE_COUNTER_AT) - before.readUInt32BE(CHANGE_COUNTER_AT)) >>> 0 < 2 ** 31;
}
