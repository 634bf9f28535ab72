/**
 * Reads the feed: every event exactly once, in commit order
 * ([decision 39](../../../../docs/decisions/0039-the-feed-of-events.md)).
 */
import { elapsedMs } from '../base/clock.ts';
import type { Sql, Storage } from '../storage/storage.ts';
import { type FeedEntry, findLastPosition, listOpenWriters, readEntries } from './feed-store.ts';

/** A page of the feed. */
export interface FeedPage {
  readonly entries: readonly FeedEntry[];
  /** Last position that was read; the next page begins after it. */
  readonly upTo: number;
  /** Time for which an open transaction has held back later events; 0 without one. */
  readonly heldBackMs: number;
}

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
   * Reads the events after a position.
   *
   * @param limit maximum number of positions to read
   */
  async read(after: number, limit: number): Promise<FeedPage> {
    return this.#storage.read(async (sql) => {
      await this.#look(sql);
      const rows = after < this.#safe ? await readEntries(sql, after, this.#safe, limit) : [];
      const upTo = rows.length === limit ? (rows.at(-1)?.position ?? after) : Math.max(after, this.#safe);
      const entries = rows.flatMap(({ position, event }) => (event === null ? [] : [{ position, event }]));
      return { entries, upTo, heldBackMs: this.#awaited === null ? 0 : elapsedMs() - this.#awaited.since };
    });
  }

  async #look(sql: Sql): Promise<void> {
    // Repeated once, because most transactions end within milliseconds and should not delay events until the next read.
    for (let turn = 0; turn < 2; turn++) {
      if (this.#awaited === null) {
        const position = await findLastPosition(sql);
        if (position === this.#safe) return;
        this.#awaited = { position, writers: await listOpenWriters(sql), since: elapsedMs() };
      } else {
        const open = new Set(await listOpenWriters(sql));
        const writers = this.#awaited.writers.filter((each) => open.has(each));
        this.#awaited = { ...this.#awaited, writers };
      }
      if (this.#awaited.writers.length === 0) {
        this.#safe = this.#awaited.position;
        this.#awaited = null;
        return;
      }
    }
  }
}
