/**
 * Other work is whatever is not a call of the five client endpoints. Only so much of it is under way at once; the rest
 * waits for its turn, and what would wait too long is refused at once. So however much of it there is, what the client
 * endpoints need (connections to PostgreSQL, the writer of SQLite) is not taken up by it.
 */
import { elapsedMs } from '../clock.ts';
import { type Endpoint, isOtherWork } from '../endpoint/endpoint.ts';
import type { Counter, Distribution, Measures } from '../measures/measures.ts';
import { refuse } from '../refusals.ts';
import type { Storage } from '../storage/storage.ts';
import { type Call, type Dispatcher, outcomeOfRefusal } from './call.ts';

/** How much other work there may be. */
export interface OtherWorkBounds {
  /** Calls under way at once. */
  readonly atOnce: number;
  /** Calls that wait for their turn at once. */
  readonly mostWaiting: number;
  /** How long a call may have to wait for its turn; null: however long it takes. */
  readonly longestWaitMs: number | null;
}

/** Where a queue is measured, and its name there. */
export interface QueueMeasures {
  readonly measures: Measures;
  readonly queue: 'writer' | 'reader' | 'database';
}

/** Of how many calls, roughly, the mean time of a call is taken. */
const CALLS_IN_MEAN = 16;
/** The longest time after which a caller is told to try again. */
const MOST_RETRY_SECONDS = 60;

interface Waiting {
  /** When it came, by {@link elapsedMs}. */
  readonly since: number;
  readonly begin: () => void;
  /** Undefined for work that is never refused. */
  readonly refuse: ((retryAfterSeconds: number) => void) | undefined;
}

/** Lets other work in by turns. */
export class OtherWork {
  readonly #bounds: OtherWorkBounds;
  readonly #clock: () => number;
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>();
  #underWay = 0;
  /** How long a call has lately been under way. */
  #meanMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #whenIdle: (() => void) | undefined;
  readonly #waits: Distribution | undefined;
  readonly #shed: Counter | undefined;

  /**
   * @param clock milliseconds since some moment
   * @param measured where waits are measured, if anywhere
   */
  constructor(bounds: OtherWorkBounds, clock: () => number = elapsedMs, measured?: QueueMeasures) {
    this.#bounds = bounds;
    this.#clock = clock;
    if (measured === undefined) return;
    const { measures, queue } = measured;
    this.#waits = measures.histogram('latchkey_queue_wait_seconds', { queue });
    this.#shed = measures.counter('latchkey_shed_calls_total', { queue });
    measures.beforeSamples(() => {
      measures.set('latchkey_queue_calls', { queue, state: 'waiting' }, this.#waiting.size);
      measures.set('latchkey_queue_calls', { queue, state: 'in progress' }, this.#underWay);
    });
  }

  /**
   * Begins a piece of work when it is its turn, or refuses it.
   *
   * @param begin told a function to call once when the work has ended
   * @param refused told the whole seconds after which there may be room; undefined for work that is never refused
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

  /** Resolves when no work waits or is under way. */
  async idle(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
  }

  #isTooMuch(expectedMs: number): boolean {
    const { longestWaitMs, mostWaiting } = this.#bounds;
    return this.#waiting.size >= mostWaiting || (longestWaitMs !== null && expectedMs > longestWaitMs);
  }

  /**
   * How long a call that comes now would wait: for those ahead of it, at the pace of the last calls, but no less than
   * the first in the queue has waited already, since the pace of a database that stands still is not known.
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

  /** Refuses what has waited too long, in case nothing ends for so long. */
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
 * A dispatcher whose calls outside the five client endpoints wait for their turn, or are refused with 503.
 *
 * @param dispatcher runs the calls
 * @param endpoints by path, all that can be called
 */
export function limitOtherWork<Limited extends Dispatcher>(
  dispatcher: Limited,
  endpoints: ReadonlyMap<string, Endpoint>,
  otherWork: OtherWork,
): Dispatcher {
  return {
    dispatch(call: Call, answer) {
      const endpoint = endpoints.get(call.path);
      if (endpoint === undefined || !isOtherWork(endpoint)) return dispatcher.dispatch(call, answer);
      otherWork.enter(
        (end) =>
          dispatcher.dispatch(call, (outcome) => {
            answer(outcome);
            end();
          }),
        (retryAfterSeconds) => answer(outcomeOfRefusal(refuse('overloaded', { retryAfterSeconds }), endpoint.flag)),
      );
    },
    async close() {
      await otherWork.idle();
      await dispatcher.close();
    },
  };
}

/** The storage of a job, which is other work: it waits for its turn like calls, and is never refused. */
export function asOtherWork(storage: Storage, otherWork: OtherWork): Storage {
  const inTurn = <T>(run: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      otherWork.enter((end) => void run().then(resolve, reject).finally(end));
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
