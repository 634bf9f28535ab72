/**
 * Other work is every call outside the five client endpoints. Its concurrency is limited: the rest queues, and calls
 * that would wait too long are refused at once. So no amount of other work can use up the resources of the client
 * endpoints (PostgreSQL connections, the writer of SQLite). Parties take turns, so no amount of work of one creator or
 * network can use up those of the others (rules 10.2).
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
import { type Parties, type Party, partyOfNetwork, SERVICE } from './parties.ts';
import { type RefusableCall, type Turn, Turns, type WorkKind } from './turns.ts';

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

/** The work of one kind. */
interface Line {
  underWay: number;
  /** Recent mean duration of a call. */
  meanMs: number;
  /** When a call last ended. */
  endedAt: number;
}

/**
 * Queues other work and starts it by turns of its parties. A party's calls start in order, but a write does not wait
 * for a read that may not start yet.
 */
export class QueuedWork {
  readonly #bounds: QueuedWorkBounds;
  readonly #clock: () => number;
  readonly #lines: Readonly<Record<WorkKind, Line>> = {
    read: { underWay: 0, meanMs: 0, endedAt: Number.NEGATIVE_INFINITY },
    write: { underWay: 0, meanMs: 0, endedAt: Number.NEGATIVE_INFINITY },
  };
  readonly #turns = new Turns();
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
      measures.set(NODE_METRICS.latchkey_queue_calls, { queue, state: 'waiting' }, this.#turns.waiting);
      measures.set(NODE_METRICS.latchkey_queue_calls, { queue, state: 'in progress' }, this.#underWay);
    });
  }

  /**
   * Starts work when its turn comes, or refuses it.
   *
   * @param party whose turn it takes
   * @param begin receives a function to call once when the work has ended
   * @param refused receives the whole seconds until there may be room; undefined for work that must not be refused
   */
  enter(
    kind: WorkKind,
    party: Party,
    begin: (end: () => void) => void,
    refused?: (retryAfterSeconds: number) => void,
  ): void {
    const line = this.#lines[kind];
    const turn = this.#turns.of(party);
    const start = (since?: number) => {
      const startedAt = this.#clock();
      this.#waits?.observe(since === undefined ? 0 : (startedAt - since) / 1000);
      line.underWay += 1;
      this.#turns.begin(turn);
      begin(() => this.#end(line, turn, startedAt));
    };
    if (this.#mayStart(turn, kind)) {
      start();
      return;
    }
    const expectedMs = this.#expectedWaitMs(turn, kind);
    if (refused !== undefined && (this.#isTooLong(expectedMs) || !this.#hasRoomFor(turn))) {
      this.#turns.forgetIdle(turn);
      this.#refuse(refused, expectedMs);
      return;
    }
    const since = this.#clock();
    this.#turns.add(turn, { kind, since, begin: () => start(since), refuse: refused });
    this.#watch();
  }

  /** Resolves when no work is queued or in progress. */
  async idle(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
  }

  get #underWay(): number {
    return this.#lines.read.underWay + this.#lines.write.underWay;
  }

  #atOnce(kind: WorkKind): number {
    const { atOnce, readsAtOnce = atOnce } = this.#bounds;
    return kind === 'read' ? Math.min(readsAtOnce, atOnce) : atOnce;
  }

  #mayStart(turn: Turn, kind: WorkKind): boolean {
    if (this.#underWay >= this.#bounds.atOnce || this.#lines[kind].underWay >= this.#atOnce(kind)) return false;
    return turn.party.goesAhead || !(this.#hasShare(turn) || this.#haveOthersTheirs());
  }

  /** True if a creator or a network uses half of all places, which is its share. */
  #hasShare({ party, underWay }: Turn): boolean {
    return !party.goesAhead && underWay >= this.#share;
  }

  get #share(): number {
    return Math.ceil(this.#bounds.atOnce / 2);
  }

  /** True if creators and networks use all places but one, which is kept for the parties that go ahead. */
  #haveOthersTheirs(): boolean {
    const { atOnce } = this.#bounds;
    return atOnce > 2 && this.#turns.othersUnderWay >= atOnce - 1;
  }

  #isTooLong(expectedMs: number): boolean {
    const { longestWaitMs } = this.#bounds;
    return longestWaitMs !== null && expectedMs > longestWaitMs;
  }

  /** Makes room for a call of a party by refusing one of the party with the most waiting calls; false if that is it. */
  #hasRoomFor(newcomer: Turn): boolean {
    if (this.#turns.waiting < this.#bounds.maxWaiting) return true;
    const most = this.#turns.mostWaiting(newcomer);
    if (most === undefined) return false;
    this.#turnAway(most.turn, most.call);
    return true;
  }

  /** Refuses a waiting call. */
  #turnAway(turn: Turn, call: RefusableCall): void {
    this.#turns.remove(turn, call);
    const expectedMs = this.#expectedWaitMs(turn, call.kind);
    this.#turns.forgetIdle(turn);
    this.#refuse(call.refuse, expectedMs);
  }

  #refuse(refuse: (retryAfterSeconds: number) => void, expectedMs: number): void {
    if (this.#shed !== undefined) this.#shed.value += 1;
    refuse(toRetrySeconds(expectedMs));
  }

  /**
   * Expected wait of a call that arrives now: the calls that begin before it at the recent pace, but at least the time
   * for which calls of its kind have waited and none has ended, because the pace of a stalled database is unknown.
   */
  #expectedWaitMs(turn: Turn, kind: WorkKind): number {
    const { read, write } = this.#turns.aheadOf(turn, kind, (each) => this.#hasShare(each));
    const overtakes = kind === 'write' && this.#atOnce('read') < this.#atOnce('write');
    const [ofKind, ofOther] = kind === 'read' ? [read, write] : [write, read];
    const { meanMs, endedAt } = this.#lines[kind];
    const ofKindMs = (ofKind + 1) * meanMs;
    const otherMs = overtakes ? 0 : ofOther * this.#lines[kind === 'read' ? 'write' : 'read'].meanMs;
    const ownMs = turn.party.goesAhead ? 0 : ((turn.waiting[kind].size + 1) * meanMs) / this.#share;
    const paceMs = Math.max((ofKindMs + otherMs) / this.#bounds.atOnce, ofKindMs / this.#atOnce(kind), ownMs);
    const oldest = this.#turns.oldest(kind);
    return oldest === undefined ? paceMs : Math.max(paceMs, this.#clock() - Math.max(oldest, endedAt));
  }

  #end(line: Line, turn: Turn, startedAt: number): void {
    const now = this.#clock();
    line.underWay -= 1;
    line.meanMs += (now - startedAt - line.meanMs) / CALLS_IN_MEAN;
    line.endedAt = now;
    this.#turns.end(turn);
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#turns.remove(next.turn, next.call);
      next.call.begin();
    }
    if (this.#underWay === 0) this.#whenIdle?.();
  }

  #next(): ReturnType<Turns['next']> {
    if (this.#turns.waiting === 0 || this.#underWay >= this.#bounds.atOnce) return;
    return this.#turns.next((turn, kind) => this.#mayStart(turn, kind));
  }

  /** Refuses calls that have waited too long, in case no call ends in the meantime. */
  #watch(): void {
    const { longestWaitMs } = this.#bounds;
    if (longestWaitMs === null || this.#timer !== undefined) return;
    const oldest = this.#turns.oldestRefusable();
    if (oldest === undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#refuseOld(longestWaitMs);
        this.#watch();
      },
      Math.max(1, longestWaitMs - (this.#clock() - oldest)),
    );
    this.#timer.unref();
  }

  #refuseOld(longestWaitMs: number): void {
    const now = this.#clock();
    for (const { turn, call } of this.#turns.refusableBefore(now - longestWaitMs)) this.#turnAway(turn, call);
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
  parties: Parties,
): Dispatcher {
  return {
    dispatch(call: Call, answer) {
      const endpoint = endpointOf(call, { endpoints });
      queuedWork.enter(
        isWrite(call, endpoint) ? 'write' : 'read',
        parties.of(call, endpoint),
        (end) =>
          dispatcher.dispatch(call, (outcome) => {
            parties.learn(call, outcome);
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

/** Reads for a visitor of a site, by the visitor's network address: in turn, or refused. */
export type ReadForVisitor = <Found>(
  address: string | null,
  look: (sql: Sql) => Promise<Found>,
) => Promise<{ readonly found: Found } | Refusal>;

/** Reads for visitors of sites, which queue like calls and are refused like them. */
export function readsInTurn(storage: Storage, queuedWork: QueuedWork): ReadForVisitor {
  return (address, look) =>
    new Promise((resolve, reject) => {
      queuedWork.enter(
        'read',
        partyOfNetwork(address),
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
      queuedWork.enter(kind, SERVICE, (end) => void run().then(resolve, reject).finally(end));
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
