/**
 * The waits of hosts that fail, for each owner of destinations. A receiver may be a third party that never asked for
 * events: it is asked no sooner than the schedule says, whatever destination names it, for example one that was made
 * again, resumed, or got another path. A destination that works never waits for its host, so the failures of others
 * delay no working receiver at a shared host
 * ([decision 40](../../../../docs/contributors/decisions/0040-how-events-are-sent.md)).
 */
import { LRUCache } from 'lru-cache';
import type { FailureMoment } from './failing.ts';
import type { AttemptResult } from './request.ts';
import { FAILURES_IN_A_ROW, isTroubleOfDestination, mayTry, nextTryAt } from './schedule.ts';

/** Hosts of owners that are kept. To make room, 12 failing requests a second need longer than the longest wait. */
const MAX_HOSTS = 16_384;

/** The answer of a receiver that wants no more events. */
const GONE = 410;

interface Wait {
  /** Refused events since the last success. */
  readonly refused: number;
  /** Failures of the host since the last success. */
  readonly failures: number;
  /** Milliseconds since 1970; null while the host does not fail. */
  readonly nextTryAt: number | null;
  /** True while a request tries whether the host still fails. */
  readonly isTried: boolean;
}

/** A host and the owner whose destinations name it. */
export interface OwnedHost {
  readonly owner: string;
  /** By {@link hostOf}. */
  readonly host: string;
}

/** See the head of this file. */
export class HostWaits {
  readonly #betweenTriesMs: number;
  readonly #waits = new LRUCache<string, Wait>({ max: MAX_HOSTS });
  /** When a failing destination was last tried at a host; monotonic milliseconds. */
  readonly #triedAt = new LRUCache<string, number>({ max: MAX_HOSTS });

  /** @param betweenTriesMs see {@link SenderBounds.betweenTriesOfHostMs} */
  constructor(betweenTriesMs: number) {
    this.#betweenTriesMs = betweenTriesMs;
  }

  /** Returns true if a destination that is not known to work may ask a host of its owner. */
  mayAsk(of: OwnedHost, now: number): boolean {
    const wait = this.#waits.get(keyOf(of));
    if (wait === undefined || wait.nextTryAt === null) return true;
    return !wait.isTried && mayTry(wait.nextTryAt, now);
  }

  /** Notes that such a request begins. Returns true if the host fails: then others wait until {@link endTry}. */
  beginTry(of: OwnedHost): boolean {
    const wait = this.#waits.get(keyOf(of));
    if (wait === undefined || wait.nextTryAt === null) return false;
    this.#waits.set(keyOf(of), { ...wait, isTried: true });
    return true;
  }

  /** Notes the end of a request for which {@link beginTry} returned true, before its result if it was made. */
  endTry(of: OwnedHost): void {
    const wait = this.#waits.get(keyOf(of));
    if (wait !== undefined) this.#waits.set(keyOf(of), { ...wait, isTried: false });
  }

  /** Returns true if it is the turn of a failing destination of any owner at a host. */
  isTurnOfFailing({ host }: OwnedHost, moment: number): boolean {
    const triedAt = this.#triedAt.get(host);
    return triedAt === undefined || moment - triedAt >= this.#betweenTriesMs;
  }

  /** Notes a request of a failing destination. */
  noteTried({ host }: OwnedHost, moment: number): void {
    this.#triedAt.set(host, moment);
  }

  /** Notes that a test was delivered, which ends the wait. */
  noteDelivered(of: OwnedHost): void {
    this.#waits.delete(keyOf(of));
  }

  /**
   * Notes the result of a request. The host fails if it is in trouble, or has refused as many events in a row as make a
   * destination fail; a success ends that.
   */
  note(of: OwnedHost, { outcome, status, retryAfterMs }: AttemptResult, { now, random }: FailureMoment): void {
    if (outcome === 'delivered') {
      this.noteDelivered(of);
      return;
    }
    const { refused, failures, nextTryAt: due } = this.#waits.get(keyOf(of)) ?? NO_WAIT;
    // Requests that were under way together are one failure.
    if (due !== null && !mayTry(due, now)) return;
    const isFailing = isTroubleOfDestination(status) || status === GONE || refused + 1 >= FAILURES_IN_A_ROW;
    const next = isFailing
      ? { failures: failures + 1, nextTryAt: nextTryAt(failures + 1, now, random, retryAfterMs) }
      : { failures, nextTryAt: null };
    this.#waits.set(keyOf(of), { refused: refused + 1, ...next, isTried: false });
  }
}

const NO_WAIT: Wait = { refused: 0, failures: 0, nextTryAt: null, isTried: false };

function keyOf({ owner, host }: OwnedHost): string {
  return `${host} ${owner}`;
}
