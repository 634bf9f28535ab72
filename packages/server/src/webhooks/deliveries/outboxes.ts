/**
 * The outboxes of all active destinations, and the feed that they read. A round costs as much as there are destinations
 * with something to do: a destination at rest has no outbox, and is neither visited nor copied into a list, because a
 * service may have 10,000 of them.
 *
 * Most destinations have read the feed as far as the sender has (`#head`); their own `readUpTo` is brought up to date
 * when it is needed. The others are behind: new here, or without room for more events.
 */

import type { WantedEvents } from '../../platform/events/feed-store.ts';
import { isFull, type Progress } from '../destinations/destination.ts';
import { matches, type Sendable, type SentTo } from '../destinations/sendable.ts';
import { Audience } from './audience.ts';
import { Outbox, type OutboxChange } from './outbox.ts';
import type { Mutable, OutboxChanges } from './pending.ts';
import type { SenderBounds } from './sender-bounds.ts';
import type { DeliveryReader, FeedEntry, StoredDelivery } from './store.ts';
import { Interest, wantedBy } from './wanted-events.ts';

/** Destinations at rest whose position one write saves, and those that are looked at for it. */
const IDLE_SAVED_AT_ONCE = 100;
const IDLE_VISITED_AT_ONCE = 500;
/** Time between two writes of the positions of destinations at rest, and if there are more than one write saves. */
const IDLE_SAVE_INTERVAL_MS = 1_000;
const SHARED_IDLE_SAVE_INTERVAL_MS = 4_000;
/**
 * Maximum time between two reads for destinations behind that have room. They read together once one of them has sent
 * half of its events: a page that is read for the next event of one destination is mostly of others.
 */
const BEHIND_INTERVAL_MS = 10_000;

type Owners = ReadonlyMap<string, string>;
type Entries = readonly FeedEntry[];

/** An active destination. */
interface Member {
  destination: SentTo;
  progress: Mutable<Progress>;
  wasQuick: boolean;
  isProven: boolean;
  /** Null at rest: every event up to the head is settled, and all changes but the position are saved. */
  outbox: Outbox | null;
}

export class Outboxes {
  /** The outboxes of destinations that are not at rest. */
  readonly busy = new Set<Outbox>();
  readonly #all = new Map<string, Member>();
  readonly #audience = new Audience<Member>();
  /** The events that the members that are not behind may get: those at the head are read for them alone. */
  readonly #interest = new Interest();
  /** Position that every outbox has read, except for those behind. */
  #head = 0;
  readonly #behind = new Set<Outbox>();
  /** Those behind that may have room for more events. */
  #wanting = new Set<Outbox>();
  #most = 0;
  #behindReadAt = Number.NEGATIVE_INFINITY;
  #turn: IteratorObject<Member, undefined> = [].values();
  #visitedAtRest = 0;
  /** The head at which the positions of all outboxes were saved. */
  #savedHead = -1;

  /** Position of the feed up to which all destinations have read that are not behind. */
  get head(): number {
    return this.#head;
  }

  /** Number of destinations in memory. */
  get size(): number {
    return this.#all.size;
  }

  /** Returns the outbox of a destination; undefined at rest. */
  get(destinationId: string): Outbox | undefined {
    return this.#all.get(destinationId)?.outbox ?? undefined;
  }

  /** Returns the outbox of a destination, which rests no longer; undefined if the destination is not active. */
  open(destinationId: string): Outbox | undefined {
    const member = this.#all.get(destinationId);
    return member && this.#wake(member);
  }

  /** Adds a destination, known to work if `isProven`, or applies its changes; `waiting` are its stored deliveries. */
  take(sendable: Sendable, waiting: readonly StoredDelivery[], isProven = false): void {
    const { destination } = sendable;
    const { destinationId } = destination;
    const progress = { ...sendable.progress, destinationId };
    const known = this.#all.get(destinationId);
    if (known?.outbox?.canFollow(sendable)) {
      this.#bringUpToDate(known.outbox);
      known.outbox.follow(sendable);
      this.#give(known, destination);
      this.noteChange(known.outbox);
    } else if (known?.outbox === null && known.progress.position === progress.position) {
      // As in Outbox.follow.
      if (known.destination.url !== destination.url) {
        progress.nextTryAt = null;
        known.isProven = false;
      }
      this.#give(known, destination);
      known.progress = progress;
    } else {
      this.drop(destinationId);
      const wasQuick = progress.lastSuccessAt !== null;
      const member = { destination, progress, wasQuick, isProven, outbox: null };
      this.#all.set(destinationId, member);
      this.#audience.add(member);
      this.#interest.add(destination);
      if (this.#all.size === 1) this.#head = progress.position;
      if (progress.position < this.#head) this.#wake(member, progress.position);
    }
    // A full destination that has nothing left is failing until its outbox is watched.
    if (waiting.length === 0 && !isFull(progress)) return;
    const outbox = this.open(destinationId);
    if (outbox === undefined) return;
    for (const delivery of waiting) outbox.addStored(delivery);
    this.noteChange(outbox);
  }

  drop(destinationId: string): void {
    const member = this.#all.get(destinationId);
    if (member === undefined) return;
    this.#all.delete(destinationId);
    this.#audience.remove(member);
    if (!this.#isBehind(member)) this.#interest.remove(member.destination);
    if (member.outbox === null) return;
    for (const set of [this.busy, this.#behind, this.#wanting]) set.delete(member.outbox);
  }

  clear(): void {
    for (const collection of [this.#all, this.#audience, this.busy, this.#behind, this.#wanting]) collection.clear();
    this.#interest.clear();
    this.#head = 0;
    this.#savedHead = -1;
  }

  /** Closes all destinations but these. */
  closeOthers(destinationIds: ReadonlySet<string>): void {
    for (const destinationId of this.#all.keys()) if (!destinationIds.has(destinationId)) this.close(destinationId);
    this.dropClosed();
  }

  /** Closes a destination that is no longer active, until it is taken again. */
  close(destinationId: string): void {
    const outbox = this.get(destinationId);
    if (outbox === undefined) this.drop(destinationId);
    else outbox.isClosed = true;
  }

  /** Drops closed outboxes that have nothing under way and nothing to save. */
  dropClosed(): void {
    for (const outbox of this.busy) if (outbox.isClosed && !outbox.isBusy) this.drop(outbox.destination.destinationId);
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
    if (this.get(outbox.destination.destinationId) !== outbox) return;
    this.busy.add(outbox);
    if (outbox.readUpTo >= this.#head && !this.#behind.has(outbox)) return;
    this.#fallBehind(outbox);
    this.#wanting.add(outbox);
  }

  /** Lets destinations rest that have nothing to do, and whose last request began this long ago. */
  rest(moment: number, afterMs: number): void {
    for (const outbox of this.busy) {
      if (outbox.size > 0 || outbox.isBusy || outbox.hasReplay || moment - outbox.servedAt < afterMs) continue;
      // Its own position is ahead of the head, and not saved.
      const isAhead = outbox.readUpTo > this.#head && outbox.hasMoved;
      const member = this.#all.get(outbox.destination.destinationId);
      if (this.#behind.has(outbox) || isAhead || member?.outbox !== outbox) continue;
      member.wasQuick = outbox.wasQuick;
      member.isProven = outbox.isProven;
      member.outbox = null;
      this.busy.delete(outbox);
    }
  }

  /**
   * Notes which destinations are full: the feed is not read for them, because too many deliveries wait.
   *
   * @returns the full destinations, and those that are no longer, each with its change
   */
  watchFull(now: number): (readonly [Outbox, OutboxChange])[] {
    const watched: (readonly [Outbox, OutboxChange])[] = [];
    for (const outbox of this.busy) {
      if (outbox.isClosed || outbox.disabledBecause !== null) continue;
      const change = outbox.watchFull(this.#behind.has(outbox), now);
      if (change !== null || outbox.isFull) watched.push([outbox, change]);
    }
    return watched;
  }

  /** Returns true if all destinations are at rest and have read the feed up to its highest position. */
  areAtRest(lastPosition: number): boolean {
    return this.busy.size === 0 && (this.#all.size === 0 || this.#head >= lastPosition);
  }

  /** Returns true if positions of destinations at rest are to be saved, `sinceMs` after the last write of some. */
  isIdleSaveDue(sinceMs: number): boolean {
    const intervalMs = this.#all.size <= IDLE_SAVED_AT_ONCE ? IDLE_SAVE_INTERVAL_MS : SHARED_IDLE_SAVE_INTERVAL_MS;
    return sinceMs >= intervalMs && this.#all.size > 0 && this.#savedHead !== this.#head;
  }

  /**
   * Yields the outboxes to save.
   *
   * @param atRest those at rest to include: some of those that have moved, in turn, or all
   */
  *toSave(atRest: 'none' | 'some' | 'all'): Generator<{ takeChanges(): OutboxChanges }, undefined> {
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
      const member = this.#next();
      if (member === undefined) return;
      const { outbox } = member;
      if (outbox !== null) this.#bringUpToDate(outbox);
      this.#visitedAtRest += 1;
      if (outbox === null ? member.progress.position >= this.#head : !outbox.hasMoved) continue;
      this.#visitedAtRest = 0;
      saved += 1;
      yield outbox ?? { takeChanges: () => this.#moveToHead(member) };
    }
    if (this.#visitedAtRest < this.#all.size) return;
    this.#savedHead = this.#head;
    this.#visitedAtRest = 0;
  }

  /**
   * Reads the feed: pages for the destinations that have read furthest, then pages for those behind. Many pages in one
   * round cost less than one page in each of many.
   *
   * @param moment by the monotonic clock
   * @param heldBack receives the time for which an open transaction has held back the feed, in milliseconds
   * @returns true if there is more to read at once
   */
  async read(
    reader: Pick<DeliveryReader, 'readFeed'>,
    bounds: SenderBounds,
    moment: number,
    heldBack: (milliseconds: number) => void,
  ): Promise<boolean> {
    let inAll = 0;
    for (const { size } of this.busy) inAll += size;
    const most = inAll < bounds.maxPendingInAll ? bounds.maxPending : 1;
    if (most !== this.#most) this.#wanting = new Set(this.#behind);
    this.#most = most;
    const readPage = async (after: number, wanted: WantedEvents) => {
      const page = await reader.readFeed(after, bounds.pageSize, wanted);
      heldBack(page.heldBackMs);
      return page;
    };
    const isHeadRead = () => this.#behind.size < this.#all.size;
    let hasMore = true;
    for (let page = 0; page < bounds.pagesInRound && hasMore && isHeadRead(); page++) {
      const read = await readPage(this.#head, this.#interest.wanted);
      this.#readAtHead(read.entries, read.upTo, read.owners);
      hasMore = read.hasMore;
    }
    hasMore &&= isHeadRead();
    for (const outbox of this.#wanting) if (outbox.roomFor(most).room <= 0) this.#wanting.delete(outbox);
    const isHalfEmpty = (outbox: Outbox) => {
      const { room, outOf } = outbox.roomFor(most);
      return room > 0 && room >= outOf / 2;
    };
    const isDue = moment - this.#behindReadAt >= BEHIND_INTERVAL_MS;
    if (!isDue && !this.#wanting.values().some(isHalfEmpty)) return hasMore;
    this.#behindReadAt = moment;
    for (let page = 1; page < bounds.pagesInRound && this.#wanting.size > 0; page++) {
      let after = Number.POSITIVE_INFINITY;
      for (const { readUpTo } of this.#wanting) after = Math.min(after, readUpTo);
      const wanted = wantedBy(this.#wanting.values().map(({ destination }) => destination));
      const { entries, upTo, owners } = await readPage(after, wanted);
      // A transaction that is still open holds the feed back.
      if (upTo === after) return hasMore;
      this.#readBehind(entries, upTo, owners);
    }
    return hasMore || this.#wanting.values().some(isHalfEmpty);
  }

  #readAtHead(entries: Entries, upTo: number, owners: Owners): void {
    const matching = new Map<Outbox, FeedEntry[]>();
    for (const entry of entries)
      for (const member of this.#audience.of(entry.event)) {
        if (this.#isBehind(member) || !matches(member.destination, entry.event, owners)) continue;
        const outbox = this.#wake(member);
        const found = matching.get(outbox);
        if (found === undefined) matching.set(outbox, [entry]);
        else found.push(entry);
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
      if (isFull) this.#fallBehind(outbox);
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
      if (isFull) this.#wanting.delete(outbox);
      else if (outbox.readUpTo >= this.#head) {
        this.#behind.delete(outbox);
        this.#wanting.delete(outbox);
        this.#interest.add(outbox.destination);
      }
    }
  }

  #isBehind({ outbox }: Member): boolean {
    return outbox !== null && this.#behind.has(outbox);
  }

  /** Notes that a member has not read the feed up to the head. */
  #fallBehind(outbox: Outbox): void {
    if (this.#behind.has(outbox)) return;
    this.#behind.add(outbox);
    this.#interest.remove(outbox.destination);
  }

  /** Gives a member the present settings of its destination. */
  #give(member: Member, destination: SentTo): void {
    const isBehind = this.#isBehind(member);
    this.#audience.remove(member);
    if (!isBehind) this.#interest.remove(member.destination);
    member.destination = destination;
    this.#audience.add(member);
    if (!isBehind) this.#interest.add(destination);
  }

  /** Returns the outbox of a destination. One that rested has settled every event up to `readUpTo`. */
  #wake(member: Member, readUpTo = this.#head): Outbox {
    const { destination, progress, wasQuick, isProven } = member;
    if (member.outbox !== null) return member.outbox;
    const outbox = new Outbox(destination, progress, wasQuick);
    outbox.isProven = isProven;
    outbox.readUpTo = Math.max(outbox.readUpTo, readUpTo);
    member.outbox = outbox;
    this.busy.add(outbox);
    this.noteChange(outbox);
    return outbox;
  }

  /** Moves the position of a destination at rest. */
  #moveToHead({ progress }: Member): OutboxChanges {
    const knownPosition = progress.position;
    progress.position = this.#head;
    const none = { stored: [], settled: [], failed: [], alarm: null, disabled: null };
    return { progress: { ...progress, knownPosition }, ...none };
  }

  #bringUpToDate(outbox: Outbox): void {
    if (!this.#behind.has(outbox)) outbox.readUpTo = Math.max(outbox.readUpTo, this.#head);
  }

  #next(): Member | undefined {
    const { value } = this.#turn.next();
    if (value !== undefined) return value;
    this.#turn = this.#all.values();
    return this.#turn.next().value;
  }
}
