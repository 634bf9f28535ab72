/** One window: a server is kept busy over all connections, and what it answers in a stretch of time is counted. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerFramer } from './answer.ts';
import { errorOf } from './check.ts';
import type { Address, Connection, ConnectionListener } from './connection.ts';
import type { PoolCursor } from './pool.ts';
import { LatencyHistogram } from './statistics.ts';

/** Every answer's status is looked at; of one in this many the body too. */
const ANSWERS_PER_SAMPLE = 32;
/** How many errors are told in words. */
const ERRORS_TOLD = 5;
/** How long the last answers of a window may take before they count as lost. */
const DRAIN_TIMEOUT_MS = 30_000;

/** What to do in a window. */
export interface WindowPlan {
  /** Where the server's nodes listen; connections are dealt out to them in turn. */
  readonly addresses: readonly Address[];
  /** The body that every answer must have to the byte; null: the fields that the request expects are compared. */
  readonly fixedAnswer: string | null;
  readonly connections: number;
  /** Load that is not counted, before the counting begins. */
  readonly rampSeconds: number;
  /** How long is counted. */
  readonly seconds: number;
}

/** What happened in a window. */
export interface WindowFigures {
  /** Answers in the counted time. */
  readonly requests: number;
  /** The counted time: shorter than planned when the pool was used up. */
  readonly seconds: number;
  /** Counts of a {@link LatencyHistogram}: from sending the request to having read its whole answer. */
  readonly latencyCounts: number[];
  /** Whether every request was sent as often as it may be: the window may have ended early, and more make no sense. */
  readonly isUsedUp: boolean;
  /** Wrong answers and broken connections, before and after the counted time too. */
  readonly errors: Errors;
}

/** What went wrong, and how often. */
export interface Errors {
  readonly count: number;
  /** The first ones, in words. */
  readonly told: readonly string[];
}

/** Keeps connections busy: each answer is followed by the next request. */
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
  readonly #told: string[] = [];

  constructor(cursor: PoolCursor, fixedAnswer: string | null) {
    this.#cursor = cursor;
    this.#fixedAnswer = fixedAnswer;
  }

  /** Sends the first request of every connection. */
  start(connections: readonly Connection[]): void {
    this.#busy = connections.length;
    for (const connection of connections) this.#sendNext(connection, performance.now());
  }

  /** Resolves when no connection sends any more: after {@link stop}, with the pool used up, or with all broken. */
  get allIdle(): Promise<void> {
    return this.#allIdle.promise;
  }

  /** From now on answers count, until {@link stop}. */
  count(): void {
    this.#counting = true;
  }

  /** Counts and sends no more. What is in flight may still arrive. */
  stop(): void {
    this.#counting = false;
    this.#sending = false;
  }

  /** What was counted. */
  figures(seconds: number): WindowFigures {
    const errors = { count: this.#errorCount, told: this.#told };
    const { isUsedUp } = this.#cursor;
    return { requests: this.#counted, seconds, latencyCounts: this.#latency.counts(), isUsedUp, errors };
  }

  /** Notes that something went wrong. */
  addError(error: string): void {
    this.#errorCount += 1;
    if (this.#told.length < ERRORS_TOLD) this.#told.push(error);
  }

  onAnswer(connection: Connection, bytes: Buffer, framer: AnswerFramer): void {
    // One look at the clock per request: the moment an answer is there is the moment the next request leaves.
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
 * @param open opens the connection with this number, from 0 on, that reports to a listener
 * @param onEdge called when the counting begins and when it ends
 */
export async function runWindow(
  plan: WindowPlan,
  cursor: PoolCursor,
  open: (listener: ConnectionListener, index: number) => Promise<Connection>,
  onEdge: (edge: 'begin' | 'end') => void,
): Promise<WindowFigures> {
  const load = new Load(cursor, plan.fixedAnswer);
  const connections = await Promise.all(Array.from({ length: plan.connections }, (_, index) => open(load, index)));
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
  for (const connection of connections) connection.close();
  return load.figures(seconds);
}

/** Waits for the promise at most so long; answers whether it resolved. */
async function withinMs(milliseconds: number, promise: Promise<void>): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(milliseconds, false, { signal: timer.signal }).catch(() => false);
  const resolved = await Promise.race([promise.then(() => true), late]);
  timer.abort();
  return resolved;
}
