/**
 * Writes log lines to a file descriptor that may stop accepting them because its disk is full or nobody reads the pipe.
 * Nothing waits for it. Lines are buffered up to a bound; further lines are dropped and counted, and the count is
 * reported once the buffer is drained.
 */
import { write, writeSync } from 'node:fs';

/** Buffer for lines while the descriptor accepts none: some thousand lines. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** Back-off after a full pipe: the pause starts here and doubles */
const FIRST_PAUSE_MS = 5;
/** up to this. A descriptor that fails is retried at this pace from the start. */
const LONGEST_PAUSE_MS = 500;
/** Time that {@link LogOutput.flush} waits for a descriptor that accepts nothing. */
const FLUSH_MS = 1_000;

/** Writes to a file descriptor without blocking, as `fs.write` does on a non-blocking one. */
export type Write = (
  descriptor: number,
  bytes: Buffer,
  done: (error: NodeJS.ErrnoException | null, written: number) => void,
) => void;

/** Events of a {@link LogOutput}. */
export interface LogOutputEvents {
  /** The descriptor refused bytes for a reason other than a full pipe; called once until it recovers. */
  failed(error: NodeJS.ErrnoException): void;
  /** The buffer is drained after this number of lines was dropped. */
  lost(lines: number): void;
}

/** A destination for a logger. */
export class LogOutput {
  readonly #descriptor: number;
  readonly #events: LogOutputEvents;
  readonly #write: Write;
  /** Lines that arrived since the last write began. */
  #waiting: string[] = [];
  /** Bytes of `#waiting`. */
  #waitingBytes = 0;
  /** Bytes being written, or to be retried. */
  #rest: Buffer = Buffer.alloc(0);
  #isWriting = false;
  #retry: NodeJS.Timeout | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #hasFailed = false;
  /** Dropped lines that have not been reported yet. */
  #unreportedLines = 0;
  #lostLines = 0;
  #whenIdle: (() => void)[] = [];

  /**
   * @param descriptor open for writing and non-blocking; otherwise a pipe that nobody reads keeps the process from
   *   ending
   * @param write writes bytes; tests replace it
   */
  constructor(descriptor: number, events: LogOutputEvents, write: Write = writeTo) {
    this.#descriptor = descriptor;
    this.#events = events;
    this.#write = write;
  }

  /** Number of lines dropped since the process began. */
  get lostLines(): number {
    return this.#lostLines;
  }

  /** Accepts one line, including its line break. Never blocks and never throws. */
  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    // After the first dropped line, all lines are dropped until the number can be reported in the right place.
    // Otherwise a line from the middle of a gap would hide the gap.
    if (this.#unreportedLines > 0 || this.#rest.length + this.#waitingBytes + bytes > MAX_WAITING_BYTES) {
      this.#unreportedLines += 1;
      this.#lostLines += 1;
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += bytes;
    this.#proceed();
  }

  /** Calls back once all lines are written, or after one second of waiting for the descriptor. */
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

  /** Writes as much as the descriptor accepts immediately; for process exit, when nothing can be awaited. */
  flushNow(): void {
    // The unwritten rest of a write in progress is lost, because its size is unknown at this point.
    if (!this.#isWriting) this.#rest = Buffer.concat([this.#rest, this.#takeWaiting()]);
    else this.#rest = this.#takeWaiting();
    try {
      while (this.#rest.length > 0) this.#rest = this.#rest.subarray(writeSync(this.#descriptor, this.#rest));
    } catch {
      // A descriptor that accepts nothing now gets no further time.
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

  /** Writes the buffered lines, unless a write or a retry is pending. */
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

  /** Buffer drained: report dropped lines (which queues another line), or resolve flush waiters. */
  #rested(): void {
    if (this.#unreportedLines > 0) {
      const lines = this.#unreportedLines;
      this.#unreportedLines = 0;
      this.#events.lost(lines);
      return;
    }
    for (const wake of this.#whenIdle) wake();
  }
}

function writeTo(descriptor: number, bytes: Buffer, done: Parameters<Write>[2]): void {
  write(descriptor, bytes, done);
}
