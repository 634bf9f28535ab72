/**
 * The outboxes of all active destinations, and the feed that they read. A round costs as much as there are destinations
 * with something to do: a destination at rest is neither visited nor copied into a list, because a service may have
 * 10,000 of them.
 *
 * Most destinations have read the feed as far as the sender has (`#head`); their own `readUpTo` is brought up to date
 * when it is needed. The others are behind: new here, or without room for more events.
 */
import { matches } from '../destinations/sendable.ts';
import { Outbox } from './outbox.ts';
import type { SenderBounds } from './sender-bounds.ts';
import type { DeliveryReader, FeedEntry, Sendable, StoredDelivery } from './store.ts';

/** Destinations at rest whose position one write saves, and those that are looked at for it. */
const IDLE_SAVED_AT_ONCE = 25;
const IDLE_VISITED_AT_ONCE = 500;

type Owners = ReadonlyMap<string, string>;
type Entries = readonly FeedEntry[];

export class Outboxes {
  /** Outboxes with undelivered events, requests under way or unsaved changes. */
  readonly busy = new Set<Outbox>();
  readonly #all = new Map<string, Outbox>();
  readonly #ofOwner = new Map<string, Set<Outbox>>();
  /** Position that every outbox has read, except for those behind. */
  #head = 0;
  readonly #behind = new Set<Outbox>();
  /** Those behind that may have room for more events. */
  #wanting = new Set<Outbox>();
  #most = 0;
  #turn: IteratorObject<Outbox, undefined> = [].values();
  #visitedAtRest = 0;
  /** The head at which the positions of all outboxes were saved. */
  #savedHead = -1;

  get(destinationId: string): Outbox | undefined {
    return this.#all.get(destinationId);
  }

  /** Adds a destination, or applies its changes; `waiting` are its stored deliveries. */
  take(sendable: Sendable, waiting: readonly StoredDelivery[], moment: number): void {
    const { destinationId } = sendable.destination;
    let outbox = this.#all.get(destinationId);
    if (outbox?.canFollow(sendable)) {
      this.#bringUpToDate(outbox);
      outbox.follow(sendable);
    } else {
      this.drop(destinationId);
      outbox = new Outbox(sendable, moment);
      this.#all.set(destinationId, outbox);
      const ofOwner = this.#ofOwner.get(outbox.owner) ?? new Set();
      this.#ofOwner.set(outbox.owner, ofOwner.add(outbox));
      if (this.#all.size === 1) this.#head = outbox.readUpTo;
    }
    for (const delivery of waiting) outbox.addStored(delivery);
    this.noteChange(outbox);
  }

  drop(destinationId: string): void {
    const outbox = this.#all.get(destinationId);
    if (outbox === undefined) return;
    this.#all.delete(destinationId);
    const ofOwner = this.#ofOwner.get(outbox.owner);
    ofOwner?.delete(outbox);
    if (ofOwner?.size === 0) this.#ofOwner.delete(outbox.owner);
    for (const set of [this.busy, this.#behind, this.#wanting]) set.delete(outbox);
  }

  clear(): void {
    for (const collection of [this.#all, this.#ofOwner, this.busy, this.#behind, this.#wanting]) collection.clear();
    this.#head = 0;
    this.#savedHead = -1;
  }

  /** Closes the outboxes of all destinations but these. */
  closeOthers(destinationIds: ReadonlySet<string>): void {
    for (const [destinationId, outbox] of this.#all) outbox.isClosed = !destinationIds.has(destinationId);
    this.dropClosed(this.#all.values());
  }

  /** Drops closed outboxes that have nothing under way and nothing to save. */
  dropClosed(among: Iterable<Outbox> = this.busy): void {
    for (const outbox of among) if (outbox.isClosed && !outbox.isBusy) this.drop(outbox.destination.destinationId);
  }

  /** Changes an outbox, for example by the result of a request. */
  change<Result>(outbox: Outbox, change: () => Result): Result {
    this.#bringUpToDate(outbox);
    const result = change();
    this.noteChange(outbox);
    return result;
  }

  /** Notes that an outbox, which was up to date before, has changed. */
  noteChange(outbox: Outbox): void {
    if (this.#all.get(outbox.destination.destinationId) !== outbox) return;
    this.busy.add(outbox);
    if (outbox.readUpTo >= this.#head && !this.#behind.has(outbox)) return;
    this.#behind.add(outbox);
    this.#wanting.add(outbox);
  }

  /** Forgets those busy no longer. */
  forgetIdle(): void {
    for (const outbox of this.busy) if (outbox.size === 0 && !outbox.isBusy) this.busy.delete(outbox);
  }

  /** Returns true if positions of destinations at rest are to be saved. */
  get hasMoved(): boolean {
    return this.#all.size > 0 && this.#savedHead !== this.#head;
  }

  /**
   * Yields the outboxes to save.
   *
   * @param atRest those at rest to include: some of those that have moved, in turn, or all
   */
  *toSave(atRest: 'none' | 'some' | 'all'): Generator<Outbox, undefined> {
    for (const outbox of this.busy) {
      if (!outbox.isChanged) continue;
      this.#bringUpToDate(outbox);
      yield outbox;
      // A stored delivery makes room for another event.
      this.noteChange(outbox);
    }
    if (atRest === 'none') return;
    const most = atRest === 'all' ? Number.POSITIVE_INFINITY : IDLE_SAVED_AT_ONCE;
    const visits = atRest === 'all' ? this.#all.size : Math.min(this.#all.size, IDLE_VISITED_AT_ONCE);
    let saved = 0;
    for (let visited = 0; visited < visits && saved < most; visited++) {
      const outbox = this.#next();
      if (outbox === undefined) return;
      this.#bringUpToDate(outbox);
      this.#visitedAtRest += 1;
      if (!outbox.hasMoved) continue;
      this.#visitedAtRest = 0;
      saved += 1;
      yield outbox;
    }
    if (this.#visitedAtRest < this.#all.size) return;
    this.#savedHead = this.#head;
    this.#visitedAtRest = 0;
  }

  /**
   * Reads the feed: a page for the destinations that have read furthest, then pages for those behind.
   *
   * @param heldBack receives the time for which an open transaction has held back the feed, in milliseconds
   * @returns true if there is more to read at once
   */
  async read(
    reader: Pick<DeliveryReader, 'readFeed'>,
    bounds: SenderBounds,
    heldBack: (milliseconds: number) => void,
  ): Promise<boolean> {
    let inAll = 0;
    for (const { size } of this.busy) inAll += size;
    const most = inAll < bounds.mostPendingInAll ? bounds.mostPending : 1;
    if (most !== this.#most) this.#wanting = new Set(this.#behind);
    this.#most = most;
    const readPage = async (after: number) => {
      const page = await reader.readFeed(after, bounds.pageSize);
      heldBack(page.heldBackMs);
      return page;
    };
    let hasMore = false;
    if (this.#behind.size < this.#all.size) {
      const { entries, upTo, owners } = await readPage(this.#head);
      this.#readAtHead(entries, upTo, owners);
      hasMore = entries.length >= bounds.pageSize;
    }
    for (const outbox of this.#wanting) if (outbox.roomFor(most) <= 0) this.#wanting.delete(outbox);
    for (let page = 1; page < bounds.pagesInRound && this.#wanting.size > 0; page++) {
      let after = Number.POSITIVE_INFINITY;
      for (const { readUpTo } of this.#wanting) after = Math.min(after, readUpTo);
      const { entries, upTo, owners } = await readPage(after);
      // A transaction that is still open holds the feed back.
      if (upTo === after) return hasMore;
      this.#readBehind(entries, upTo, owners);
    }
    return hasMore || this.#wanting.size > 0;
  }

  #readAtHead(entries: Entries, upTo: number, owners: Owners): void {
    const matching = new Map<Outbox, FeedEntry[]>();
    const offer = (entry: FeedEntry, outboxes: Iterable<Outbox> = []) => {
      for (const outbox of outboxes) {
        if (this.#behind.has(outbox) || !matches(outbox.destination, entry.event, owners)) continue;
        const found = matching.get(outbox);
        if (found === undefined) matching.set(outbox, [entry]);
        else found.push(entry);
      }
    };
    for (const entry of entries) {
      offer(entry, this.#ofOwner.get(''));
      const { creatorId } = entry.event;
      if (creatorId !== null && creatorId !== '') offer(entry, this.#ofOwner.get(creatorId));
    }
    const before = this.#head;
    this.#head = Math.max(before, upTo);
    for (const [outbox, found] of matching) {
      outbox.readUpTo = Math.max(outbox.readUpTo, before);
      // One that was behind may have read past the head.
      if (outbox.readUpTo >= this.#head) continue;
      const isFull = outbox.read(
        found.filter(({ position }) => position > outbox.readUpTo),
        this.#head,
        this.#most,
      );
      this.busy.add(outbox);
      if (isFull) this.#behind.add(outbox);
    }
  }

  #readBehind(entries: Entries, upTo: number, owners: Owners): void {
    const ofOwner = Map.groupBy(entries, ({ event }) => event.creatorId ?? '');
    for (const outbox of [...this.#wanting]) {
      if (outbox.readUpTo > upTo) continue;
      const candidates = outbox.owner === '' ? entries : (ofOwner.get(outbox.owner) ?? []);
      const isFull = outbox.read(
        candidates.filter(
          ({ position, event }) => position > outbox.readUpTo && matches(outbox.destination, event, owners),
        ),
        upTo,
        this.#most,
      );
      if (outbox.size > 0) this.busy.add(outbox);
      if (isFull) this.#wanting.delete(outbox);
      else if (outbox.readUpTo >= this.#head) {
        this.#behind.delete(outbox);
        this.#wanting.delete(outbox);
      }
    }
  }

  #bringUpToDate(outbox: Outbox): void {
    if (!this.#behind.has(outbox)) outbox.readUpTo = Math.max(outbox.readUpTo, this.#head);
  }

  #next(): Outbox | undefined {
    const { value } = this.#turn.next();
    if (value !== undefined) return value;
    this.#turn = this.#all.values();
    return this.#turn.next().value;
  }
}
