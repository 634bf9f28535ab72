/**
 * Other work is every call outside the five client endpoints. Its concurrency is limited: the rest queues, and calls
 * that would wait too long are refused at once. So no amount of other work can use up the resources of the client
 * endpoints (PostgreSQL connections, the writer of SQLite).
 */
import { elapsedMs } from '../../ground/base/clock.ts';
import type { Counter, Distribution, Measures } from '../../ground/measures/measures.ts';
import { NODE_METRICS } from '../../ground/measures/node-metrics.ts';
import type { Endpoint } from '../../platform/endpoint/endpoint.ts';
import { outcomeOfRefusal } from '../../platform/endpoint/outcome.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Sql, Storage } from '../../storage/contract/storage.ts';
import { endpointOf, isWrite } from './action.ts';
import type { Call, Dispatcher } from './call.ts';

/** A read answers long lists and waits for no lock; a write answers little. */
export type WorkKind = 'read' | 'write';

const KINDS: readonly WorkKind[] = ['read', 'write'];

/** Limits of other work. */
export interface QueuedWorkBounds {
  /** Concurrent calls. */
  readonly atOnce: number;
  /** Concurrent reads among them; as many as calls if undefined. */
  readonly readsAtOnce?: number;
  /** Maximum number of queued calls. */
  readonly maxWaiting: number;
  /** Maximum wait of a call in milliseconds; null for no limit. */
  readonly longestWaitMs: number | null;
}

/** Where a queue is measured, with the name of the queue. */
export interface QueueMeasures {
  readonly measures: Measures;
  readonly queue: 'writer' | 'reader' | 'database';
}

/** Approximate number of calls that the mean duration covers. */
const CALLS_IN_MEAN = 16;
/** Upper bound of the Retry-After sent to callers. */
const MAX_RETRY_SECONDS = 60;

interface Waiting {
  /** Counts the queued calls. */
  readonly number: number;
  /** Arrival by {@link elapsedMs}. */
  readonly since: number;
  readonly begin: () => void;
  /** Undefined for work that must not be refused. */
  readonly refuse: ((retryAfterSeconds: number) => void) | undefined;
}

/** The work of one kind. */
interface Line {
  /** In order of arrival. */
  readonly waiting: Set<Waiting>;
  underWay: number;
  /** Recent mean duration of a call. */
  meanMs: number;
}

/** Queues other work and starts it in order, but a write does not wait for a read that may not start yet. */
export class QueuedWork {
  readonly #bounds: QueuedWorkBounds;
  readonly #clock: () => number;
  readonly #lines: Readonly<Record<WorkKind, Line>> = {
    read: { waiting: new Set(), underWay: 0, meanMs: 0 },
    write: { waiting: new Set(), underWay: 0, meanMs: 0 },
  };
  #queued = 0;
  #timer: NodeJS.Timeout | undefined;
  #whenIdle: (() => void) | undefined;
  readonly #waits: Distribution | undefined;
  readonly #shed: Counter | undefined;

  /**
   * @param clock milliseconds since an arbitrary moment
   * @param measured where waits are measured, if anywhere
   */
  constructor(bounds: QueuedWorkBounds, clock: () => number = elapsedMs, measured?: QueueMeasures) {
    this.#bounds = bounds;
    this.#clock = clock;
    if (measured === undefined) return;
    const { measures, queue } = measured;
    this.#waits = measures.histogram(NODE_METRICS.latchkey_queue_wait_seconds, { queue });
    this.#shed = measures.counter(NODE_METRICS.latchkey_shed_calls_total, { queue });
    measures.beforeSamples(() => {
      measures.set(NODE_METRICS.latchkey_queue_calls, { queue, state: 'waiting' }, this.#waiting);
      measures.set(NODE_METRICS.latchkey_queue_calls, { queue, state: 'in progress' }, this.#underWay);
    });
  }

  /**
   * Starts work when its turn comes, or refuses it.
   *
   * @param begin receives a function to call once when the work has ended
   * @param refused receives the whole seconds until there may be room; undefined for work that must not be refused
   */
  enter(kind: WorkKind, begin: (end: () => void) => void, refused?: (retryAfterSeconds: number) => void): void {
    const line = this.#lines[kind];
    const start = (since?: number) => {
      const startedAt = this.#clock();
      this.#waits?.observe(since === undefined ? 0 : (startedAt - since) / 1000);
      line.underWay += 1;
      begin(() => this.#end(line, startedAt));
    };
    if (this.#mayStart(kind)) {
      start();
      return;
    }
    const expectedMs = this.#expectedWaitMs(kind);
    if (refused !== undefined && this.#isTooMuch(expectedMs)) {
      if (this.#shed !== undefined) this.#shed.value += 1;
      refused(toRetrySeconds(expectedMs));
      return;
    }
    const since = this.#clock();
    line.waiting.add({ number: ++this.#queued, since, begin: () => start(since), refuse: refused });
    this.#watch();
  }

  /** Resolves when no work is queued or in progress. */
  async idle(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
  }

  get #underWay(): number {
    return this.#lines.read.underWay + this.#lines.write.underWay;
  }

  get #waiting(): number {
    return this.#lines.read.waiting.size + this.#lines.write.waiting.size;
  }

  #atOnce(kind: WorkKind): number {
    const { atOnce, readsAtOnce = atOnce } = this.#bounds;
    return kind === 'read' ? Math.min(readsAtOnce, atOnce) : atOnce;
  }

  #mayStart(kind: WorkKind): boolean {
    return this.#underWay < this.#bounds.atOnce && this.#lines[kind].underWay < this.#atOnce(kind);
  }

  #isTooMuch(expectedMs: number): boolean {
    const { longestWaitMs, maxWaiting } = this.#bounds;
    return this.#waiting >= maxWaiting || (longestWaitMs !== null && expectedMs > longestWaitMs);
  }

  /**
   * Expected wait of a call that arrives now: the calls ahead of it at the recent pace, but at least the time that the
   * first of its kind has waited, because the pace of a stalled database is unknown.
   */
  #expectedWaitMs(kind: WorkKind): number {
    const { waiting, meanMs } = this.#lines[kind];
    const ofKindMs = (waiting.size + 1) * meanMs;
    const overtakes = kind === 'write' && this.#atOnce('read') < this.#atOnce('write');
    const { read, write } = this.#lines;
    const other = kind === 'read' ? write : read;
    const aheadMs = ofKindMs + (overtakes ? 0 : other.waiting.size * other.meanMs);
    const paceMs = Math.max(aheadMs / this.#bounds.atOnce, ofKindMs / this.#atOnce(kind));
    const [first] = waiting;
    return first === undefined ? paceMs : Math.max(paceMs, this.#clock() - first.since);
  }

  #end(line: Line, startedAt: number): void {
    line.underWay -= 1;
    line.meanMs += (this.#clock() - startedAt - line.meanMs) / CALLS_IN_MEAN;
    for (let next = this.#takeNext(); next !== undefined; next = this.#takeNext()) next.begin();
    if (this.#underWay === 0) this.#whenIdle?.();
  }

  /** Removes the first queued call that may start. */
  #takeNext(): Waiting | undefined {
    const [read] = this.#mayStart('read') ? this.#lines.read.waiting : [];
    const [write] = this.#mayStart('write') ? this.#lines.write.waiting : [];
    const isReadFirst = (read?.number ?? Number.POSITIVE_INFINITY) < (write?.number ?? Number.POSITIVE_INFINITY);
    const next = isReadFirst ? read : write;
    if (next !== undefined) this.#lines[isReadFirst ? 'read' : 'write'].waiting.delete(next);
    return next;
  }

  /** Refuses calls that have waited too long, in case no call ends in the meantime. */
  #watch(): void {
    const { longestWaitMs } = this.#bounds;
    if (longestWaitMs === null || this.#timer !== undefined) return;
    const refusable = KINDS.flatMap(
      (kind) => this.#lines[kind].waiting.values().find(({ refuse }) => refuse !== undefined)?.since ?? [],
    );
    if (refusable.length === 0) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        for (const kind of KINDS) this.#refuseOld(kind, longestWaitMs);
        this.#watch();
      },
      Math.max(1, longestWaitMs - (this.#clock() - Math.min(...refusable))),
    );
    this.#timer.unref();
  }

  #refuseOld(kind: WorkKind, longestWaitMs: number): void {
    const retryAfterSeconds = toRetrySeconds(this.#expectedWaitMs(kind));
    const { waiting } = this.#lines[kind];
    for (const each of waiting) {
      if (this.#clock() - each.since < longestWaitMs) break;
      if (each.refuse === undefined) continue;
      waiting.delete(each);
      if (this.#shed !== undefined) this.#shed.value += 1;
      each.refuse(retryAfterSeconds);
    }
  }
}

function toRetrySeconds(expectedMs: number): number {
  return Math.min(Math.max(Math.ceil(expectedMs / 1000), 1), MAX_RETRY_SECONDS);
}

/**
 * Returns a dispatcher for all calls outside the five client endpoints, which queues them or refuses them with 503.
 *
 * @param dispatcher runs the calls
 * @param endpoints by path, all that can be called
 */
export function queueWork<Limited extends Dispatcher>(
  dispatcher: Limited,
  endpoints: ReadonlyMap<string, Endpoint>,
  queuedWork: QueuedWork,
): Dispatcher {
  return {
    dispatch(call: Call, answer) {
      const endpoint = endpointOf(call, { endpoints });
      queuedWork.enter(
        isWrite(call, endpoint) ? 'write' : 'read',
        (end) =>
          dispatcher.dispatch(call, (outcome) => {
            answer(outcome);
            end();
          }),
        (retryAfterSeconds) => answer(outcomeOfRefusal(refuse('overloaded', { retryAfterSeconds }), endpoint.flag)),
      );
    },
    async close() {
      await queuedWork.idle();
      await dispatcher.close();
    },
  };
}

/** Reads for a visitor of a site: in turn, or refused. */
export type ReadForVisitor = <Found>(
  look: (sql: Sql) => Promise<Found>,
) => Promise<{ readonly found: Found } | Refusal>;

/** Reads for visitors of sites, which queue like calls and are refused like them. */
export function readsInTurn(storage: Storage, queuedWork: QueuedWork): ReadForVisitor {
  return (look) =>
    new Promise((resolve, reject) => {
      queuedWork.enter(
        'read',
        (end) =>
          void storage
            .read(look)
            .then((found) => resolve({ found }), reject)
            .finally(end),
        (retryAfterSeconds) => resolve(refuse('overloaded', { retryAfterSeconds })),
      );
    });
}

/** The storage for a job. Jobs are other work: they queue like calls, but are never refused. */
export function asQueuedWork(storage: Storage, queuedWork: QueuedWork): Storage {
  const inTurn = <T>(kind: WorkKind, run: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      queuedWork.enter(kind, (end) => void run().then(resolve, reject).finally(end));
    });
  return {
    engine: storage.engine,
    read: (work) => inTurn('read', () => storage.read(work)),
    transaction: (work) => inTurn('write', () => storage.transaction(work)),
    onCommitted: (listener) => storage.onCommitted(listener),
    onAvailability: (listener) => storage.onAvailability(listener),
    close: () => storage.close(),
  };
}
