/**
 * Reads the feed: every event exactly once, in commit order
 * ([decision 39](../../../../docs/contributors/decisions/0039-the-feed-of-events.md)).
 */
import { elapsedMs } from '../../ground/base/clock.ts';
import type { Sql, Storage } from '../../storage/contract/storage.ts';
import {
  type FeedEntry,
  findLastPosition,
  findPageEnd,
  listOpenWriters,
  readEntries,
  type WantedEvents,
} from './feed-store.ts';

/** A page of the feed. */
export interface FeedPage {
  readonly entries: readonly FeedEntry[];
  /** Last position that was read; the next page begins after it. */
  readonly upTo: number;
  /** True if more positions can be read at once. */
  readonly hasMore: boolean;
  /** Time for which an open transaction has held back later events; 0 without one. */
  readonly heldBackMs: number;
}

const ALL_EVENTS: WantedEvents = { types: null, of: null };

/**
 * Reads the feed of one database. PostgreSQL assigns a position before the transaction commits, so a later position may
 * become visible first. A read therefore takes the highest position and then the transactions that may hold a lower
 * one. Once all of these have ended, every position up to that one is visible or was rolled back.
 */
export class FeedReader {
  readonly #storage: Pick<Storage, 'read'>;
  #safe = 0;
  #awaited: { readonly position: number; readonly writers: readonly string[]; readonly since: number } | null = null;

  constructor(storage: Pick<Storage, 'read'>) {
    this.#storage = storage;
  }

  /**
   * Reads the wanted events after a position.
   *
   * @param limit maximum number of positions to read
   */
  async read(after: number, limit: number, wanted: WantedEvents = ALL_EVENTS): Promise<FeedPage> {
    return this.#storage.read(async (sql) => {
      await this.#look(sql);
      const last = Math.max(after, this.#safe);
      const upTo = last - after <= limit ? last : ((await findPageEnd(sql, after, last, limit)) ?? last);
      const entries = upTo === after ? [] : await readEntries(sql, after, upTo, limit, wanted);
      const heldBackMs = this.#awaited === null ? 0 : elapsedMs() - this.#awaited.since;
      return { entries, upTo, hasMore: upTo < last, heldBackMs };
    });
  }

  async #look(sql: Sql): Promise<void> {
    if (!(await this.#haveEnded(sql))) return;
    // In the same read, because events recorded since then would otherwise wait for the next one.
    const position = await findLastPosition(sql);
    if (position === this.#safe) return;
    this.#awaited = { position, writers: await listOpenWriters(sql), since: elapsedMs() };
    // At once, because most transactions end within milliseconds.
    await this.#haveEnded(sql);
  }

  /** Returns true if no awaited transaction is open; every position up to theirs is then safe to read. */
  async #haveEnded(sql: Sql): Promise<boolean> {
    if (this.#awaited === null) return true;
    if (this.#awaited.writers.length > 0) {
      const open = new Set(await listOpenWriters(sql));
      this.#awaited = { ...this.#awaited, writers: this.#awaited.writers.filter((each) => open.has(each)) };
    }
    if (this.#awaited.writers.length > 0) return false;
    this.#safe = this.#awaited.position;
    this.#awaited = null;
    return true;
  }
}
