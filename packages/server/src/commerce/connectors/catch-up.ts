/**
 * Catching up (rules 15.2): reads what a seller's API lists since the last time, because most sellers stop repeating an
 * event long before the end of an outage. It runs in the thread of the sender of look-ups.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../ground/base/clock.ts';
import type { BegunCatchUp, LookUpStore } from './look-up-store.ts';
import { askSeller, type Origins } from './seller-request.ts';
import { sourceNamed } from './sources/source-list.ts';

/** A page of a hundred events. */
const MAX_PAGE_BYTES = 16 * 2 ** 20;
/** Pages of one list that are read in a run. */
const MAX_PAGES = 1000;
/** Time between two pages: sellers bound the requests of a key. */
const PAUSE_MS = 200;

type CatchUpStore = Pick<
  LookUpStore,
  'findCatchUpDue' | 'beginCatchUp' | 'keepListed' | 'endCatchUp' | 'hastenCatchUps'
>;

/** The catching up of all connectors, one after the other. */
export class CatchUps {
  readonly #store: CatchUpStore;
  readonly #origins: Origins;
  readonly #clock: Clock;
  readonly #failed: (failure: string) => void;
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;
  /** Events may have been missed: the node starts, or its database was away. */
  #mayHaveMissed = true;

  constructor(store: CatchUpStore, origins: Origins, clock: Clock, failed: (failure: string) => void) {
    this.#store = store;
    this.#origins = origins;
    this.#clock = clock;
    this.#failed = failed;
  }

  /** Notes that the database was away. */
  noteOutage(): void {
    this.#mayHaveMissed = true;
  }

  /** Begins the next run if one is due and none is under way. */
  async look(): Promise<void> {
    if (this.#mayHaveMissed) await this.#store.hastenCatchUps();
    this.#mayHaveMissed = false;
    const dueAt = await this.#store.findCatchUpDue();
    if (this.#running !== null || dueAt === null || dueAt > this.#clock()) return;
    const begun = await this.#store.beginCatchUp();
    if (begun === null) return;
    this.#running = this.#run(begun)
      .catch((error: unknown) => this.#failed(String(error)))
      .finally(() => {
        this.#running = null;
      });
  }

  /** Resolves when the run under way ends; null if there is none. */
  ends(): Promise<void> | null {
    return this.#running;
  }

  /** Ends after the page that is read now; the run begins anew on the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(begun: BegunCatchUp): Promise<void> {
    const { connectorId, source, startedAt } = begun;
    for (const list of sourceNamed(source).lookUps?.catchUp ?? []) {
      let path: string | null = list.first(begun.since);
      for (let pages = 0; path !== null; pages += 1) {
        if (this.#stopping.signal.aborted) return;
        const answer = await askSeller({ ...begun, path }, this.#origins, MAX_PAGE_BYTES);
        const page = 'failure' in answer ? null : list.read(answer.value, begun.since);
        if (page === null || pages === MAX_PAGES) {
          const failure = 'failure' in answer ? answer.detail : 'The list of the seller cannot be read';
          return this.#store.endCatchUp({ connectorId, startedAt, failure });
        }
        await this.#store.keepListed({ connectorId, events: page.events });
        path = page.next;
        if (path !== null) await wait(PAUSE_MS, undefined, { signal: this.#stopping.signal }).catch(() => {});
      }
    }
    await this.#store.endCatchUp({ connectorId, startedAt, failure: null });
  }
}
