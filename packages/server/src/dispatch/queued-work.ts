/**
 * Other work is every call outside the five client endpoints. Its concurrency is limited: the rest queues, and calls
 * that would wait too long are refused at once. So no amount of other work can use up the resources of the client
 * endpoints (PostgreSQL connections, the writer of SQLite).
 */
import { elapsedMs } from '../base/clock.ts';
import { type Endpoint, isQueuedWork } from '../endpoint/endpoint.ts';
import { refuse } from '../endpoint/refusals.ts';
import type { Counter, Distribution, Measures } from '../measures/measures.ts';
import { NODE_METRICS } from '../measures/node-metrics.ts';
import type { Storage } from '../storage/storage.ts';
import { type Call, type Dispatcher, outcomeOfRefusal } from './call.ts';

/** Limits of other work. */
export interface QueuedWorkBounds {
  /** Concurrent calls. */
  readonly atOnce: number;
  /** Maximum number of queued calls. */
  readonly mostWaiting: number;
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
const MOST_RETRY_SECONDS = 60;

interface Waiting {
  /** Arrival by {@link elapsedMs}. */
  readonly since: number;
  readonly begin: () => void;
  /** Undefined for work that must not be refused. */
  readonly refuse: ((retryAfterSeconds: number) => void) | undefined;
}

/** Queues other work and starts it in order. */
export class QueuedWork {
  readonly #bounds: QueuedWorkBounds;
  readonly #clock: () => number;
  /** In order of arrival. */
  readonly #waiting = new Set<Waiting>();
  #underWay = 0;
  /** Recent mean duration of a call. */
  #meanMs = 0;
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
      measures.set(NODE_METRICS.latchkey_queue_calls, { queue, state: 'waiting' }, this.#waiting.size);
      measures.set(NODE_METRICS.latchkey_queue_calls, { queue, state: 'in progress' }, this.#underWay);
    });
  }

  /**
   * Starts work when its turn comes, or refuses it.
   *
   * @param begin receives a function to call once when the work has ended
   * @param refused receives the whole seconds until there may be room; undefined for work that must not be refused
   */
  enter(begin: (end: () => void) => void, refused?: (retryAfterSeconds: number) => void): void {
    const start = (since?: number) => {
      const startedAt = this.#clock();
      this.#waits?.observe(since === undefined ? 0 : (startedAt - since) / 1000);
      this.#underWay++;
      begin(() => this.#end(startedAt));
    };
    if (this.#underWay < this.#bounds.atOnce) {
      start();
      return;
    }
    const expectedMs = this.#expectedWaitMs();
    if (refused !== undefined && this.#isTooMuch(expectedMs)) {
      if (this.#shed !== undefined) this.#shed.value += 1;
      refused(toRetrySeconds(expectedMs));
      return;
    }
    const since = this.#clock();
    this.#waiting.add({ since, begin: () => start(since), refuse: refused });
    this.#watch();
  }

  /** Resolves when no work is queued or in progress. */
  async idle(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
  }

  #isTooMuch(expectedMs: number): boolean {
    const { longestWaitMs, mostWaiting } = this.#bounds;
    return this.#waiting.size >= mostWaiting || (longestWaitMs !== null && expectedMs > longestWaitMs);
  }

  /**
   * Expected wait of a call that arrives now: the queue ahead of it at the recent pace, but at least the time that the
   * first call in the queue has waited, because the pace of a stalled database is unknown.
   */
  #expectedWaitMs(): number {
    const [first] = this.#waiting;
    const pace = ((this.#waiting.size + 1) * this.#meanMs) / this.#bounds.atOnce;
    return first === undefined ? pace : Math.max(pace, this.#clock() - first.since);
  }

  #end(startedAt: number): void {
    this.#underWay--;
    this.#meanMs += (this.#clock() - startedAt - this.#meanMs) / CALLS_IN_MEAN;
    while (this.#underWay < this.#bounds.atOnce) {
      const [next] = this.#waiting;
      if (next === undefined) break;
      this.#waiting.delete(next);
      next.begin();
    }
    if (this.#underWay === 0) this.#whenIdle?.();
  }

  /** Refuses calls that have waited too long, in case no call ends in the meantime. */
  #watch(): void {
    const { longestWaitMs } = this.#bounds;
    if (longestWaitMs === null || this.#timer !== undefined) return;
    const first = this.#waiting.values().find((waiting) => waiting.refuse !== undefined);
    if (first === undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        const retryAfterSeconds = toRetrySeconds(this.#expectedWaitMs());
        for (const waiting of this.#waiting) {
          if (this.#clock() - waiting.since < longestWaitMs) break;
          if (waiting.refuse === undefined) continue;
          this.#waiting.delete(waiting);
          if (this.#shed !== undefined) this.#shed.value += 1;
          waiting.refuse(retryAfterSeconds);
        }
        this.#watch();
      },
      Math.max(1, longestWaitMs - (this.#clock() - first.since)),
    );
    this.#timer.unref();
  }
}

function toRetrySeconds(expectedMs: number): number {
  return Math.min(Math.max(Math.ceil(expectedMs / 1000), 1), MOST_RETRY_SECONDS);
}

/**
 * Returns a dispatcher that queues all calls outside the five client endpoints, or refuses them with 503.
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
      const endpoint = endpoints.get(call.path);
      if (endpoint === undefined || !isQueuedWork(endpoint)) return dispatcher.dispatch(call, answer);
      queuedWork.enter(
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

/** The storage for a job. Jobs are other work: they queue like calls, but are never refused. */
export function asQueuedWork(storage: Storage, queuedWork: QueuedWork): Storage {
  const inTurn = <T>(run: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      queuedWork.enter((end) => void run().then(resolve, reject).finally(end));
    });
  return {
    engine: storage.engine,
    read: (work) => inTurn(() => storage.read(work)),
    transaction: (work) => inTurn(() => storage.transaction(work)),
    onCommitted: (listener) => storage.onCommitted(listener),
    onAvailability: (listener) => storage.onAvailability(listener),
    close: () => storage.close(),
  };
}
