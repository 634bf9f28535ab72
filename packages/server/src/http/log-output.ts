/**
 * Where log lines go: a file descriptor that may stop taking them, because its disk is full or nobody reads the pipe.
 * Nobody waits for it. Lines are kept up to a bound; what comes on top is dropped and counted, and once everything kept
 * is written, the number lost is told.
 */
import { write, writeSync } from 'node:fs';

/** So many bytes of lines are kept while the descriptor takes none: some thousand lines. */
const MOST_WAITING_BYTES = 1024 * 1024;
/** A full pipe is tried again after so long, then after twice as long, and so on */
const FIRST_PAUSE_MS = 5;
/** up to this. A descriptor that fails is tried again at this pace from the start. */
const LONGEST_PAUSE_MS = 500;
/** How long {@link LogOutput.flush} waits for a descriptor that takes nothing. */
const FLUSH_MS = 1_000;

/** Writes to a file descriptor without blocking, as `fs.write` does on one that is set so. */
export type Write = (
  descriptor: number,
  bytes: Buffer,
  done: (error: NodeJS.ErrnoException | null, written: number) => void,
) => void;

/** What a {@link LogOutput} reports about itself. */
export interface LogOutputEvents {
  /** The descriptor refused bytes for another reason than being full of what nobody has read yet; once until it recovers. */
  failed(error: NodeJS.ErrnoException): void;
  /** Everything kept is written again, after so many lines were dropped. */
  lost(lines: number): void;
}

/** A destination for a logger. */
export class LogOutput {
  readonly #descriptor: number;
  readonly #events: LogOutputEvents;
  readonly #write: Write;
  /** Lines that came since the last write began. */
  #waiting: string[] = [];
  /** Bytes of `#waiting`. */
  #waitingBytes = 0;
  /** What is being written, or will be tried again. */
  #rest: Buffer = Buffer.alloc(0);
  #isWriting = false;
  #retry: NodeJS.Timeout | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #hasFailed = false;
  /** Lines dropped that nobody has been told of yet. */
  #untold = 0;
  #lostLines = 0;
  #whenIdle: (() => void)[] = [];

  /**
   * @param descriptor open for writing; must be set not to block, else a pipe that nobody reads keeps the process from
   * ending
   * @param write how bytes are written; tests give their own
   */
  constructor(descriptor: number, events: LogOutputEvents, write: Write = writeTo) {
    this.#descriptor = descriptor;
    this.#events = events;
    this.#write = write;
  }

  /** How many lines were dropped since the process began. */
  get lostLines(): number {
    return this.#lostLines;
  }

  /** Takes one line, with its line break. Never blocks and never throws. */
  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    // After the first line dropped the others follow, until the number can be told in the right place: no line from
    // the midst of a gap pretends that there was none.
    if (this.#untold > 0 || this.#rest.length + this.#waitingBytes + bytes > MOST_WAITING_BYTES) {
      this.#untold += 1;
      this.#lostLines += 1;
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += bytes;
    this.#proceed();
  }

  /** Calls back once all lines are written, or the descriptor has had a second to take them. */
  flush(done: () => void): void {
    if (this.#isIdle()) {
      done();
      return;
    }
    const finish = () => {
      clearTimeout(timer);
      this.#whenIdle = this.#whenIdle.filter((each) => each !== finish);
      done();
    };
    const timer = setTimeout(finish, FLUSH_MS);
    this.#whenIdle.push(finish);
    this.#tryNow();
  }

  /** Writes what the descriptor takes at once; for the moment when the process ends and nothing can be awaited. */
  flushNow(): void {
    // What a write under way does not take is lost: how much that is nobody knows any more.
    if (!this.#isWriting) this.#rest = Buffer.concat([this.#rest, this.#takeWaiting()]);
    else this.#rest = this.#takeWaiting();
    try {
      while (this.#rest.length > 0) this.#rest = this.#rest.subarray(writeSync(this.#descriptor, this.#rest));
    } catch {
      // A descriptor that takes nothing now has had its time.
    }
  }

  #isIdle(): boolean {
    return !this.#isWriting && this.#rest.length === 0 && this.#waiting.length === 0;
  }

  #takeWaiting(): Buffer {
    const taken = Buffer.from(this.#waiting.join(''));
    this.#waiting = [];
    this.#waitingBytes = 0;
    return taken;
  }

  #tryNow(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#proceed();
  }

  /** Writes what there is, unless a write or the wait for the next try is under way. */
  #proceed(): void {
    if (this.#isWriting || this.#retry !== undefined) return;
    if (this.#rest.length === 0) {
      if (this.#waiting.length === 0) {
        this.#rested();
        return;
      }
      this.#rest = this.#takeWaiting();
    }
    this.#isWriting = true;
    this.#write(this.#descriptor, this.#rest, (error, written) => {
      this.#isWriting = false;
      if (error === null) {
        this.#rest = this.#rest.subarray(written);
        this.#pauseMs = FIRST_PAUSE_MS;
        this.#hasFailed = false;
      } else this.#pause(error);
      this.#proceed();
    });
  }

  #pause(error: NodeJS.ErrnoException): void {
    const isFull = error.code === 'EAGAIN';
    if (!isFull && !this.#hasFailed) {
      this.#hasFailed = true;
      this.#events.failed(error);
    }
    const pauseMs = isFull ? this.#pauseMs : LONGEST_PAUSE_MS;
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    this.#retry = setTimeout(() => this.#tryNow(), pauseMs).unref();
  }

  /** Everything kept is written: what was lost is told, which is a line again, else whoever waits goes on. */
  #rested(): void {
    if (this.#untold > 0) {
      const lines = this.#untold;
      this.#untold = 0;
      this.#events.lost(lines);
      return;
    }
    for (const wake of this.#whenIdle) wake();
  }
}

function writeTo(descriptor: number, bytes: Buffer, done: Parameters<Write>[2]): void {
  write(descriptor, bytes, done);
}
