/** Deliveries in memory. */
import type { FeedEntry, SavedProgress, StoredDelivery } from './store.ts';

export type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** A delivery with its state in memory. */
export interface Pending extends Mutable<StoredDelivery> {
  isUnderWay: boolean;
  isStored: boolean;
  isChanged: boolean;
}

/** The delivery of an event that was read from the feed. */
export function pendingOf(
  { position, event }: FeedEntry,
  destinationId: string,
  cause: StoredDelivery['cause'],
): Pending {
  const { eventId, licenseKey } = event;
  return {
    ...{ destinationId, eventId, licenseKey, position, cause, attempts: 0, dueAt: 0, firstAt: null },
    ...{ lastStatus: null, lastError: null, isUnderWay: false, isStored: false, isChanged: false },
  };
}

/** Changes of an outbox to be saved. */
export interface OutboxChanges {
  readonly progress: SavedProgress;
  readonly stored: readonly StoredDelivery[];
  readonly settled: readonly { destinationId: string; eventId: string }[];
  readonly failed: readonly StoredDelivery[];
  readonly alarm: { readonly isFull: boolean } | null;
  readonly disabled: { destinationId: string; reason: 'gone' | 'gave_up' } | null;
}

/**
 * The deliveries of an outbox by event id. It counts them as they change: every round asks for the room and the order
 * of each outbox, and visiting up to 500 deliveries for it took a fifth of the sender's time.
 */
export class PendingDeliveries {
  #byId = new Map<string, Pending>();
  #isSorted = true;
  #stored = 0;
  #storedChanges = 0;
  #requested = 0;
  readonly #licensesUnderWay = new Set<string>();

  get size(): number {
    return this.#byId.size;
  }
  /** Number of stored deliveries. */
  get stored(): number {
    return this.#stored;
  }
  /** Number of stored deliveries of changes. */
  get storedChanges(): number {
    return this.#storedChanges;
  }
  /** Number of requested deliveries. */
  get requested(): number {
    return this.#requested;
  }
  /** Licenses with a delivery under way; each has one at a time. */
  get licensesUnderWay(): ReadonlySet<string> {
    return this.#licensesUnderWay;
  }
  get(eventId: string): Pending | undefined {
    return this.#byId.get(eventId);
  }
  values(): IteratorObject<Pending, undefined> {
    return this.#byId.values();
  }

  /** Adds the delivery of the next event of the feed. */
  append(pending: Pending): void {
    this.#byId.set(pending.eventId, pending);
    if (pending.cause !== 'change') this.#requested += 1;
  }

  /** Adds the delivery of an event of any position. */
  insert(pending: Pending): void {
    this.append(pending);
    this.#isSorted = false;
    if (pending.isStored) this.#count(pending, 1);
  }

  delete(pending: Pending): void {
    if (!this.#byId.delete(pending.eventId)) return;
    if (pending.cause !== 'change') this.#requested -= 1;
    if (pending.isStored) this.#count(pending, -1);
  }

  markUnderWay(pending: Pending, isUnderWay: boolean): void {
    pending.isUnderWay = isUnderWay;
    const { licenseKey } = pending;
    if (licenseKey === null) return;
    if (isUnderWay) this.#licensesUnderWay.add(licenseKey);
    else this.#licensesUnderWay.delete(licenseKey);
  }

  markStored(pending: Pending): void {
    if (!pending.isStored) this.#count(pending, 1);
    pending.isStored = true;
  }

  /** Returns the deliveries in the order of their positions; those without one in the order of their events. */
  inOrder(): Iterable<Pending> {
    if (!this.#isSorted)
      this.#byId = new Map(
        [...this.#byId].sort(
          ([oneId, one], [otherId, other]) => one.position - other.position || (oneId < otherId ? -1 : 1),
        ),
      );
    this.#isSorted = true;
    return this.#byId.values();
  }

  /** Counts the deliveries of replays: those that were not tried yet, and those that were refused. */
  countReplayed(): { readonly untried: number; readonly refused: number } {
    let untried = 0;
    let refused = 0;
    for (const { cause, attempts } of this.values()) {
      if (cause !== 'replay') continue;
      if (attempts === 0) untried += 1;
      else refused += 1;
    }
    return { untried, refused };
  }

  /**
   * Deletes the deliveries of a replay that was ended: all but the stored ones. Those under way are no longer part of
   * it.
   *
   * @param stored the ids of the stored deliveries; ending a replay deletes its own
   */
  endReplay(stored: ReadonlySet<string>): void {
    for (const pending of this.values()) {
      if (pending.cause !== 'replay' || stored.has(pending.eventId)) continue;
      if (pending.isUnderWay) pending.cause = 'resend';
      else this.delete(pending);
    }
  }

  /** Returns the first position after `settledUpTo` whose delivery is not stored; infinity without one. */
  firstUnstored(settledUpTo: number): number {
    let first = Number.POSITIVE_INFINITY;
    for (const { isStored, position } of this.values())
      if (!isStored && position > settledUpTo && position < first) first = position;
    return first;
  }

  /**
   * Keeps the first `most` deliveries of new events, and those under way; drops later ones, to be read again.
   *
   * @param settledUpTo deliveries up to this position are stored with the next write, so they stay
   * @returns the position after which the feed is to be read; null if nothing was dropped
   */
  dropBeyond(settledUpTo: number, most: number): number | null {
    let kept = 0;
    let end = settledUpTo;
    for (const { isStored, isUnderWay, position } of this.values()) {
      if (isStored || position <= settledUpTo) continue;
      kept += 1;
      if (kept <= most || isUnderWay) end = Math.max(end, position);
    }
    if (kept <= most) return null;
    for (const pending of this.values()) if (!pending.isStored && pending.position > end) this.delete(pending);
    return end;
  }

  #count({ cause }: Pending, by: 1 | -1): void {
    this.#stored += by;
    if (cause === 'change') this.#storedChanges += by;
  }
}
