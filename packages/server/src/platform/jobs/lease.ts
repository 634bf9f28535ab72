/**
 * The lease of a job: of several nodes, the one that holds it does the job. Each step takes or renews the lease in its
 * own transaction, so a node that was delayed and lost the job to another node does nothing more.
 */
import { type Clock, toTimestamp } from '../../ground/base/clock.ts';
import type { Storage, Tx } from '../../storage/contract/storage.ts';
import { LONGEST_LEASE_MS, moveLease, takeLease } from './lease-store.ts';

/** By default a lease ends just before the next round of a job begins. */
const LEASE_MS = LONGEST_LEASE_MS - 1;

/** The right of this process to one run of a job. */
export class Lease {
  readonly #storage: Storage;
  readonly #job: string;
  readonly #clock: Clock;
  readonly #leaseMs: number;
  /** The end of the lease as this process stored it last; null while it is not held. */
  #until: string | null = null;
  /** The end of the lease when it was taken. */
  #firstUntil = '';
  #isOver = false;
  #renewedAt = 0;

  /**
   * @param clock advances evenly (`steadyNow`)
   * @param leaseMs how long it is held without being renewed; shorter than a minute
   */
  constructor(storage: Storage, job: string, clock: Clock, leaseMs = LEASE_MS) {
    this.#storage = storage;
    this.#job = job;
    this.#clock = clock;
    this.#leaseMs = leaseMs;
  }

  /**
   * Takes or renews the lease and runs a step in the same transaction.
   *
   * @returns null without running the step if another node has the job, or had it since this one began
   */
  async hold<Done>(step: (tx: Tx) => Promise<Done>): Promise<{ readonly done: Done } | null> {
    if (this.#isOver) return null;
    const now = this.#clock();
    const until = toTimestamp(now + this.#leaseMs);
    const held = this.#until;
    const result = await this.#storage.transaction(async (tx) => {
      const latest = toTimestamp(now + LONGEST_LEASE_MS);
      const isOurs =
        held === null
          ? await takeLease(tx, this.#job, { now: toTimestamp(now), until, latest })
          : await moveLease(tx, this.#job, held, until);
      return isOurs ? { done: await step(tx) } : null;
    });
    this.#isOver = result === null;
    this.#until = this.#isOver ? null : until;
    this.#renewedAt = now;
    if (held === null) this.#firstUntil = until;
    return result;
  }

  /** Renews the lease once half of it has passed, for work outside transactions; false if another node has the job. */
  async renew(): Promise<boolean> {
    if (this.#until !== null && Math.abs(this.#clock() - this.#renewedAt) < this.#leaseMs / 2) return true;
    return (await this.hold(async () => true)) !== null;
  }

  /** Ends the lease when it would have ended without renewals, so that a long run does not keep the next one away. */
  done(): Promise<void> {
    return this.#endAt(this.#firstUntil);
  }

  /** Ends the lease now: the next node may go on at once. */
  giveBack(): Promise<void> {
    return this.#endAt(toTimestamp(this.#clock()));
  }

  async #endAt(until: string): Promise<void> {
    const held = this.#until;
    this.#isOver = true;
    this.#until = null;
    if (held !== null && until < held) await this.#storage.transaction((tx) => moveLease(tx, this.#job, held, until));
  }
}
