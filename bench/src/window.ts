/** One window: a server is kept busy over all connections, and its responses within a period are counted. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerFramer } from './answer.ts';
import { errorOf } from './check.ts';
import type { Address, Connection, ConnectionListener } from './connection.ts';
import type { OpenConnections } from './open-connections.ts';
import type { PoolCursor } from './pool.ts';
import { LatencyHistogram } from './statistics.ts';

/** Checks the status of every response and the body of one in this many. */
const ANSWERS_PER_SAMPLE = 32;
/** Number of errors that are kept as text. */
export const ERRORS_TOLD = 5;
/** Maximum time for the last responses of a window before they count as lost. */
const DRAIN_TIMEOUT_MS = 30_000;

/** The configuration of a window. */
export interface WindowPlan {
  /** Addresses of the server's nodes; connections are distributed over them in rotation. */
  readonly addresses: readonly Address[];
  /** The body that every response must match to the byte; null to compare the fields that the request expects. */
  readonly fixedAnswer: string | null;
  readonly connections: number;
  /** Uncounted load before the counted time. */
  readonly rampSeconds: number;
  /** Length of the counted time. */
  readonly seconds: number;
}

/** The result of a window. */
export interface WindowFigures {
  /** Responses in the counted time. */
  readonly requests: number;
  /** The counted time: shorter than planned if the pool was used up. */
  readonly seconds: number;
  /** Counts of a {@link LatencyHistogram}: from sending the request to reading the whole response. */
  readonly latencyCounts: number[];
  /**
   * Whether every request has reached its maximum number of uses: the window may have ended early, and further windows
   * are pointless.
   */
  readonly isUsedUp: boolean;
  /** Wrong responses and broken connections, including those outside the counted time. */
  readonly errors: Errors;
}

/** Errors of a window and their number. */
export interface Errors {
  readonly count: number;
  /** The first errors, as text. */
  readonly reported: readonly string[];
}

/** The errors of several windows together. */
export function allErrors(errors: readonly Errors[]): Errors {
  return {
    count: errors.reduce((sum, { count }) => sum + count, 0),
    reported: errors.flatMap(({ reported }) => reported),
  };
}

/** Keeps connections busy: sends the next request after each response. */
export class Load implements ConnectionListener {
  readonly #cursor: PoolCursor;
  readonly #fixedAnswer: string | null;
  readonly #allIdle = Promise.withResolvers<void>();
  #busy = 0;
  #sending = true;
  #counting = false;
  #answers = 0;
  #counted = 0;
  #latency = new LatencyHistogram();
  #errorCount = 0;
  readonly #reported: string[] = [];

  constructor(cursor: PoolCursor, fixedAnswer: string | null) {
    this.#cursor = cursor;
    this.#fixedAnswer = fixedAnswer;
  }

  /** Sends the first request of every connection. */
  start(connections: readonly Connection[]): void {
    this.#busy = connections.length;
    for (const connection of connections) this.#sendNext(connection, performance.now());
  }

  /**
   * Resolves when no connection sends any more: after {@link stop}, if the pool is used up, or if all connections are
   * broken.
   */
  get allIdle(): Promise<void> {
    return this.#allIdle.promise;
  }

  /** Counts responses from now on, until {@link stop}. */
  count(): void {
    this.#counting = true;
  }

  /** Stops counting and sending. Responses to requests in flight may still arrive. */
  stop(): void {
    this.#counting = false;
    this.#sending = false;
  }

  /** The figures of the counted time. */
  figures(seconds: number): WindowFigures {
    const errors = { count: this.#errorCount, reported: this.#reported };
    const { isUsedUp } = this.#cursor;
    return { requests: this.#counted, seconds, latencyCounts: this.#latency.counts(), isUsedUp, errors };
  }

  /** Records an error. */
  addError(error: string): void {
    this.#errorCount += 1;
    if (this.#reported.length < ERRORS_TOLD) this.#reported.push(error);
  }

  onAnswer(connection: Connection, bytes: Buffer, framer: AnswerFramer): void {
    // One clock reading per request: the next request leaves at the moment the response arrives.
    const nowMs = performance.now();
    if (this.#counting) {
      this.#counted += 1;
      this.#latency.record((nowMs - connection.sentAtMs) * 1000);
    }
    this.#answers += 1;
    if (framer.status !== 200 || this.#answers % ANSWERS_PER_SAMPLE === 0) this.#check(connection, bytes, framer);
    this.#sendNext(connection, nowMs);
  }

  onBroken(_connection: Connection, error: Error): void {
    this.addError(error.message);
    this.#rest();
  }

  #check(connection: Connection, bytes: Buffer, framer: AnswerFramer): void {
    const body = bytes.toString('utf8', framer.bodyStart, framer.end);
    const expected = this.#fixedAnswer ?? this.#cursor.pool.expectedFields(connection.request);
    const error = errorOf(expected, framer.status, body);
    if (error !== null) this.addError(error);
  }

  #sendNext(connection: Connection, nowMs: number): void {
    const request = this.#sending ? this.#cursor.next() : -1;
    if (request < 0) {
      this.#rest();
      return;
    }
    connection.request = request;
    connection.sentAtMs = nowMs;
    connection.send(this.#cursor.pool.bytes(request, this.#cursor.taken));
  }

  #rest(): void {
    this.#busy -= 1;
    if (this.#busy === 0) this.#allIdle.resolve();
  }
}

/**
 * Runs one window.
 *
 * @param open the connections to the server, which stay open
 * @param onEdge called at the beginning and at the end of the counted time
 */
export async function runWindow(
  plan: WindowPlan,
  cursor: PoolCursor,
  open: OpenConnections,
  onEdge: (edge: 'begin' | 'end') => void,
): Promise<WindowFigures> {
  const load = new Load(cursor, plan.fixedAnswer);
  const connections = await open.take(plan.connections, load);
  load.start(connections);
  await sleep(plan.rampSeconds * 1000);
  const beganMs = performance.now();
  load.count();
  onEdge('begin');
  await withinMs(plan.seconds * 1000, load.allIdle);
  load.stop();
  const seconds = (performance.now() - beganMs) / 1000;
  onEdge('end');
  if (!(await withinMs(DRAIN_TIMEOUT_MS, load.allIdle))) load.addError('answers that never came');
  open.release();
  return load.figures(seconds);
}

/** Waits for the promise for at most this time. Returns whether it resolved. */
async function withinMs(milliseconds: number, promise: Promise<void>): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(milliseconds, false, { signal: timer.signal }).catch(() => false);
  const resolved = await Promise.race([promise.then(() => true), late]);
  timer.abort();
  return resolved;
}
