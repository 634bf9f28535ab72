/**
 * The undelivered events of one destination: pure state, without requests and without a database. The sender gets the
 * deliveries to start from it, reports the result of each request to it, and saves the changes that it returns.
 *
 * Every event up to the saved position is settled or stored as a delivery. So an event is stored only if a later one
 * was settled before it, or if it failed by itself.
 */
import { MAX_WAITING } from '../destinations/destination.ts';
import { Failing, type FailureMoment } from './failing.ts';
import { inLicenseOrder } from './license-order.ts';
import { type Mutable, type OutboxChanges, type Pending, PendingDeliveries, pendingOf } from './pending.ts';
import { type AttemptResult, errorText } from './request.ts';
import { RequestedShare } from './requested-share.ts';
import { isTroubleOfDestination, mayTry, nextAttemptAt } from './schedule.ts';
import type { FeedEntry, Sendable, StoredDelivery } from './store.ts';
import { TokenBucket } from './token-bucket.ts';

/** An event that a destination has not accepted yet. */
export type Delivery = StoredDelivery;

const SMALLEST_WINDOW = 2;
const LARGEST_WINDOW = 16;
/** An answer within this time raises the number of concurrent requests. */
const BRISK_MS = 5_000;
/** A destination whose last answer took longer counts as slow. */
const QUICK_MS = 2_000;
/** Number of undelivered events that are tried, in rotation, on a failing destination. */
const TRIED_WHILE_FAILING = 20;

/** A change by a result that the log and the metrics report; null for none. */
export type OutboxChange = 'failing' | 'back' | 'disabled' | 'failed' | null;

export class Outbox {
  destination: Sendable['destination'];
  /** The opened secrets; null before they are needed. */
  secrets: readonly string[] | null = null;
  readonly progress: Mutable<Sendable['progress']>;
  /** Position up to which the feed was read for this destination. */
  readUpTo: number;
  /** Start of the last request, by the monotonic clock. */
  servedAt = 0;
  bucket: TokenBucket;
  readonly #share: RequestedShare;
  /** One entry per request under way: true if it was counted as slow, so that the count falls as it rose. */
  readonly countedAsSlow: boolean[] = [];
  /** True once the destination is paused, disabled or deleted: requests under way are awaited, and no more begin. */
  isClosed = false;
  disabledBecause: 'gone' | 'gave_up' | null = null;
  /** True while a replay adds events. */
  hasReplay = false;
  /** True if the last answer was quick. */
  wasQuick: boolean;
  /** True if it is known to work: an event was delivered to its URL, and it has not failed since. */
  isProven = false;
  #savedPosition: number;
  #settledUpTo: number;
  readonly #pending = new PendingDeliveries();
  #underWay = 0;
  #window = SMALLEST_WINDOW;
  readonly #failing: Failing;
  #nextTried = 0;
  #isChanged = false;
  #settled: string[] = [];
  #failed: StoredDelivery[] = [];

  /** @param progress changed in place */
  constructor(destination: Sendable['destination'], progress: Mutable<Sendable['progress']>, wasQuick: boolean) {
    this.destination = destination;
    this.progress = progress;
    this.#failing = new Failing(progress);
    this.#savedPosition = progress.position;
    this.#settledUpTo = progress.position;
    this.readUpTo = progress.position;
    this.wasQuick = wasQuick;
    this.bucket = new TokenBucket(destination.requestsPerSecond, this.servedAt);
    this.#share = new RequestedShare(destination.requestsPerSecond, this.servedAt);
  }

  /** The owner whose limits apply: a creator, or the empty string for the operator. */
  get owner(): string {
    return this.destination.creatorId ?? '';
  }
  get isFailing(): boolean {
    return this.#failing.isOn;
  }
  /** True if it fails because too many deliveries wait. */
  get isFull(): boolean {
    return this.#failing.isFull;
  }
  /** True if it fails in such a way that few requests are made. */
  get isBackedOff(): boolean {
    return this.#failing.isBackedOff;
  }
  /** True if its last answer was quick and it is not backed off. */
  get isQuick(): boolean {
    return !this.isBackedOff && this.wasQuick;
  }
  get isChanged(): boolean {
    return this.#isChanged;
  }
  /** True if its position is past the saved one. */
  get hasMoved(): boolean {
    return this.#position() !== this.#savedPosition;
  }
  /** True if requests are under way or changes are not saved. */
  get isBusy(): boolean {
    return this.#underWay > 0 || this.#isChanged;
  }
  get size(): number {
    return this.#pending.size;
  }
  /** The events in memory that are not delivered yet. */
  get undelivered(): Iterable<Delivery> {
    return this.#pending.values();
  }

  /** Returns true if a changed destination continues from this state, rather than from the stored one. */
  canFollow({ progress }: Sendable): boolean {
    return progress.position === this.#savedPosition;
  }

  /** Applies the changed fields of a destination. */
  follow({ destination, progress }: Sendable): void {
    if (destination.requestsPerSecond !== this.destination.requestsPerSecond) {
      this.bucket = new TokenBucket(destination.requestsPerSecond, this.servedAt);
      this.#share.follow(destination.requestsPerSecond, this.servedAt);
    }
    // A new URL may be a working receiver, so it is tried as soon as its host may be asked.
    if (destination.url !== this.destination.url) {
      this.progress.nextTryAt = null;
      this.isProven = false;
    }
    if (progress.failingSince === null && this.isFailing && !this.#isChanged) this.#failing.forget();
    if (!this.#isChanged) this.disabledBecause = null;
    this.destination = destination;
    this.secrets = null;
    this.isClosed = false;
  }

  /** Adds a stored delivery. One that is known becomes due when the stored one is. */
  addStored(delivery: StoredDelivery): void {
    const { eventId, dueAt } = delivery;
    const isOver = this.#settled.includes(eventId) || this.#failed.some((each) => each.eventId === eventId);
    if (isOver) return;
    const known = this.#pending.get(eventId);
    if (known !== undefined) {
      this.#pending.markStored(known);
      if (!known.isChanged) known.dueAt = Math.min(known.dueAt, dueAt);
      return;
    }
    this.#pending.insert({ ...delivery, isUnderWay: false, isStored: true, isChanged: false });
  }

  /** Returns the number of further events that fit, out of how many that may wait untried. */
  roomFor(most: number): { readonly room: number; readonly outOf: number } {
    if (this.isClosed || this.disabledBecause !== null) return { room: 0, outOf: 0 };
    const { size, stored, storedChanges } = this.#pending;
    const outOf = Math.min(this.isBackedOff ? TRIED_WHILE_FAILING : most, most, MAX_WAITING - storedChanges);
    return { room: outOf - (size - stored), outOf };
  }

  /**
   * Adds a page of the feed.
   *
   * @param entries the entries for this destination, in order
   * @param upTo the end of the page
   * @returns true if some entries did not fit
   */
  read(entries: readonly FeedEntry[], upTo: number, most: number): boolean {
    let { room } = this.roomFor(most);
    for (const { position, event } of entries) {
      if (room <= 0) return true;
      this.readUpTo = position;
      if (this.#pending.get(event.eventId) !== undefined) continue;
      room -= 1;
      this.#pending.append(pendingOf({ position, event }, this.destination.destinationId, 'change'));
    }
    this.readUpTo = upTo;
    return false;
  }

  /** True if events of a replay may be added. */
  get mayReplay(): boolean {
    return !this.isBackedOff && !this.isClosed && this.disabledBecause === null;
  }
  /** Numbers of events of replays that wait. */
  get replayed(): { readonly untried: number; readonly refused: number } {
    return this.#pending.countReplayed();
  }

  /** Adds an event of a replay, which is stored with the position of the replay; false if it is to be sent anyway. */
  addReplayed(entry: FeedEntry): boolean {
    if (this.#pending.get(entry.event.eventId) !== undefined) return false;
    this.#pending.insert(pendingOf(entry, this.destination.destinationId, 'replay'));
    return true;
  }

  /** Notes that a replay has moved, so that its position is saved. */
  noteReplay(): void {
    this.#isChanged = true;
  }

  /** Drops the events of a replay that was ended; `stored` are the ids of the stored deliveries. */
  dropReplayed(stored: ReadonlySet<string>): void {
    this.#pending.endReplay(stored);
  }

  /** Returns true if the state of this destination allows another request. */
  mayBegin(now: number): boolean {
    if (this.#pending.size === 0 || this.isClosed || this.disabledBecause !== null) return false;
    if (!this.isBackedOff) return this.#underWay < this.#window;
    return this.#underWay === 0 && mayTry(this.progress.nextTryAt ?? 0, now);
  }

  /** Yields the deliveries that may begin, in order; of a backed-off destination a single one, in rotation. */
  *startable(now: number, moment: number): Generator<Pending, undefined> {
    if (!this.isBackedOff) {
      for (const delivery of inLicenseOrder(this.#pending, now, false)) {
        if (delivery.cause !== 'change' && !this.#share.admits(this.#window, moment)) return;
        yield delivery;
      }
      return;
    }
    const candidates = [...inLicenseOrder(this.#pending, now, true).take(TRIED_WHILE_FAILING)];
    const next = candidates[this.#nextTried % Math.max(1, candidates.length)];
    if (next !== undefined) yield next;
  }

  /** Notes the start of a request. */
  begin(delivery: Delivery, moment: number): void {
    this.#pending.markUnderWay(delivery as Pending, true);
    this.#underWay += 1;
    if (delivery.cause !== 'change') this.#share.begin();
    this.servedAt = moment;
    if (this.isBackedOff) this.#nextTried += 1;
  }

  /** Marks a delivery as no longer under way, because its request has ended or was not made. */
  putBack(delivery: Delivery): void {
    this.#pending.markUnderWay(delivery as Pending, false);
    this.#underWay -= 1;
    if (delivery.cause !== 'change') this.#share.end();
  }

  /** Ends a delivery without a request, because its event no longer exists or no longer fits. */
  settle(delivery: Delivery): void {
    this.putBack(delivery);
    this.#remove(delivery);
  }

  /**
   * Notes the result of a request.
   *
   * @param moment.number its number among all requests
   */
  note(delivery: Delivery, result: AttemptResult, moment: FailureMoment & { readonly number: number }): OutboxChange {
    const { number, now, random } = moment;
    const pending = delivery as Pending;
    this.putBack(pending);
    this.#isChanged = true;
    this.wasQuick = result.durationMs <= QUICK_MS && result.outcome === 'delivered';
    if (result.outcome === 'delivered') return this.#delivered(pending, result, number, now);
    this.#window = Math.max(SMALLEST_WINDOW, Math.floor(this.#window / 2));
    const error = errorText(result);
    if (this.isBackedOff && !this.#failing.isNews(number)) return null;
    this.#failing.noteFailure(now);
    this.progress.lastError = error;
    if (result.status === 410) return this.#disable('gone');
    if (this.isBackedOff || isTroubleOfDestination(result.status)) return this.#backOff(result, moment);
    pending.attempts += 1;
    pending.firstAt ??= now;
    pending.isChanged = true;
    pending.lastStatus = result.status;
    pending.lastError = error;
    const due = nextAttemptAt(pending.attempts, now, random);
    if (due === null) {
      this.#failed.push(pending);
      this.#remove(pending, true);
      return 'failed';
    }
    pending.dueAt = due;
    return this.#failing.noteRefused(pending.eventId) ? this.#backOff(result, moment) : null;
  }

  /** Notes the time of a success, which ends the back-off; returns true if the destination fails no longer. */
  succeed(now: number): boolean {
    this.progress.lastSuccessAt = now;
    this.#isChanged = true;
    return this.#failing.endBackOff();
  }

  /**
   * Notes whether the feed is not read for this destination because too many deliveries wait. If so, it counts as
   * failing.
   *
   * @param isBehind true if there is more to read
   */
  watchFull(isBehind: boolean, now: number): OutboxChange {
    const wasFailing = this.isFailing;
    const isAtLimit = this.#pending.storedChanges >= MAX_WAITING;
    if (this.#failing.watchFull(isBehind, isAtLimit, now)) this.#isChanged = true;
    if (wasFailing === this.isFailing) return null;
    return wasFailing ? 'back' : 'failing';
  }

  /** Disables the destination, because the service gives it up. */
  giveUp(): OutboxChange {
    return this.#disable('gave_up');
  }

  /** Returns the changes since the last call, to be saved. */
  takeChanges(): OutboxChanges {
    const { destinationId } = this.destination;
    const stored: StoredDelivery[] = [];
    for (const pending of this.#pending.values()) {
      const isPassed = pending.position <= this.#settledUpTo && !pending.isStored;
      if (!isPassed && !pending.isChanged) continue;
      this.#pending.markStored(pending);
      pending.isChanged = false;
      const { isUnderWay: _isUnderWay, isStored: _isStored, isChanged: _isChanged, ...rest } = pending;
      stored.push(rest);
    }
    const position = this.#position();
    const progress = { ...this.progress, destinationId, position, knownPosition: this.#savedPosition };
    this.#savedPosition = position;
    this.progress.position = position;
    const changes = {
      progress,
      stored,
      settled: this.#settled.map((eventId) => ({ destinationId, eventId })),
      failed: this.#failed,
      alarm: this.#failing.takeAlarm(),
      disabled: this.disabledBecause === null ? null : { destinationId, reason: this.disabledBecause },
    };
    this.#settled = [];
    this.#failed = [];
    this.#isChanged = false;
    return changes;
  }

  /** Returns the position to save: once the passed deliveries are stored, every event up to it is settled or stored. */
  #position(): number {
    const first = this.#pending.firstUnstored(this.#settledUpTo);
    return Math.max(this.#savedPosition, Math.min(first - 1, this.readUpTo));
  }

  /** @param keepsRow true for an event that was given up, whose row is listed */
  #remove({ eventId, position, cause }: Delivery, keepsRow = false): void {
    const pending = this.#pending.get(eventId);
    if (pending !== undefined) this.#pending.delete(pending);
    this.#settledUpTo = Math.max(this.#settledUpTo, Math.min(position, this.readUpTo));
    // An event that is replayed may have a row since it was given up.
    if (!keepsRow && (pending?.isStored === true || cause === 'replay')) this.#settled.push(eventId);
    this.#isChanged = true;
  }

  #delivered(pending: Pending, result: AttemptResult, number: number, now: number): OutboxChange {
    this.#remove(pending);
    this.#failing.noteDelivered();
    if (result.durationMs <= BRISK_MS) this.#window = Math.min(LARGEST_WINDOW, this.#window + 1);
    this.progress.lastSuccessAt = now;
    // A request that began before the failure does not show that the destination has recovered.
    return this.#failing.isNews(number) && this.succeed(now) ? 'back' : null;
  }

  #backOff({ retryAfterMs }: AttemptResult, moment: FailureMoment): OutboxChange {
    const { isFailing, isBackedOff } = this;
    this.isProven = false;
    this.#failing.backOff(retryAfterMs, moment);
    if (!isBackedOff) this.#forgetUnread();
    return isFailing ? null : 'failing';
  }

  #disable(reason: 'gone' | 'gave_up'): OutboxChange {
    this.disabledBecause = reason;
    this.#isChanged = true;
    return 'disabled';
  }

  /** Keeps only the events that are tried on a failing destination; the others are read from the feed again. */
  #forgetUnread(): void {
    const end = this.#pending.dropBeyond(this.#settledUpTo, TRIED_WHILE_FAILING);
    if (end !== null) this.readUpTo = end;
  }
}
