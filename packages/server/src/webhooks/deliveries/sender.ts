/**
 * The sender: reads the feed for all active destinations, keeps the order of each license, and sends (rules 12). One
 * node at a time runs it, by the lease of a job. It keeps little in memory; the database has all state that must
 * outlive it: the position of each destination, and the undelivered events below that position.
 *
 * A round ({@link Sender.look}) saves settled deliveries, reads new events and begins requests. The thread runs it at
 * intervals, after a recorded event and at the end of a request.
 */
import { TOO_MANY_REFUSED } from '../destinations/destination.ts';
import type { SentTo } from '../destinations/sendable.ts';
import { attemptOf } from './attempt.ts';
import type { Attempt } from './attempt-store.ts';
import { byTurn } from './by-turn.ts';
import { endOfFirst } from './end-of-first.ts';
import { LoadedDestinations } from './load-destinations.ts';
import type { Delivery, Outbox, OutboxChange } from './outbox.ts';
import { Outboxes } from './outboxes.ts';
import { Reach } from './reach.ts';
import { Replays } from './replays.ts';
import type { AttemptResult } from './request.ts';
import { ownedHostOf, type Place, RequestLimits } from './request-limits.ts';
import type { SenderParts } from './sender-parts.ts';
import { oldestUntried, type SenderState } from './sender-state.ts';
import { requestSigned } from './signed-request.ts';
import type { Message, Saved } from './store.ts';

/** The lease is renewed after this share of it, and no request begins when less than the margin is left. */
const RENEWED_AFTER = 1 / 3;
const LEASE_MARGIN = 1 / 5;
/** Receivers refuse timestamps that are five minutes off. */
const MAX_CLOCK_DIFFERENCE_MS = 60_000;

export class Sender {
  /** Number of positions of the feed that the last round read for the first time. */
  changes = 0;
  readonly #parts: SenderParts;
  readonly #outboxes = new Outboxes();
  readonly #replays = new Replays();
  readonly #loaded: LoadedDestinations;
  /** The end of the lease by the monotonic clock; 0 without one. */
  #leasedUntil = 0;
  #renewedAt = 0;
  #savedAt = 0;
  #idleSavedAt = 0;
  /** Changes whose write failed. They are written again unchanged, because the write may have been committed. */
  #unsaved: Saved | null = null;
  #attempts: Attempt[] = [];
  #testsDone: { readonly destinationId: string; readonly eventId: string }[] = [];
  readonly #testsUnderWay = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #limits: RequestLimits;
  readonly #reach: Reach;
  /** By the monotonic clock. */
  #restsUntil = Number.NEGATIVE_INFINITY;
  #number = 0;
  #isStopping = false;
  #isClockBelieved = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #heldBackMs = 0;

  constructor(parts: SenderParts) {
    this.#parts = parts;
    const opens = (destination: SentTo) => parts.secretsOf(destination, parts.clock()).length > 0;
    const { store } = parts;
    this.#loaded = new LoadedDestinations({ store, opens, outboxes: this.#outboxes, replays: this.#replays });
    this.#limits = new RequestLimits(parts.bounds, parts.addresses, parts.elapsed());
    this.#reach = new Reach(parts.bounds.unreachedMs);
  }

  get state(): SenderState {
    const isSending = this.#isLeased(0);
    const oldestMs = isSending ? oldestUntried(this.#outboxes.busy, this.#parts.clock()) : 0;
    return { isSending, underWay: this.#underWay.size, oldestMs, heldBackMs: isSending ? this.#heldBackMs : 0 };
  }

  /**
   * Runs one round.
   *
   * @returns true if there is more to read at once
   * @throws if the database is unavailable; the next round continues where this one stopped
   */
  async look(): Promise<boolean> {
    try {
      return await this.#round();
    } catch (error) {
      // A database that was replaced by its standby may have lost changes of destinations that were loaded.
      this.#loaded.forget();
      throw error;
    }
  }

  async #round(): Promise<boolean> {
    this.changes = 0;
    if ((await this.#isResting()) || !(await this.#hold()) || this.#isStopping) return false;
    const { store, elapsed, bounds, on } = this.#parts;
    if (await this.#isQuiet()) return false;
    const isLookDue = elapsed() - this.#lookedAt >= bounds.saveIntervalMs;
    if (this.#loaded.version === null) await this.#loaded.load();
    const { head } = this.#outboxes;
    const hasMore = await this.#outboxes.read(store, bounds, elapsed(), (milliseconds) => {
      this.#heldBackMs = milliseconds;
      if (milliseconds > 0) on.heldBack(milliseconds);
    });
    this.changes = this.#outboxes.head - head;
    const hasMoreToReplay = await this.#replays.read(store, bounds.pageSize, this.#outboxes);
    // After the feed: an event is not sent to a destination that was deleted, paused or changed before it happened.
    await this.#loaded.load();
    this.#watchFull();
    await this.#begin();
    if (isLookDue) {
      this.#lookedAt = elapsed();
      await this.#sendTests();
    }
    return hasMore || hasMoreToReplay;
  }

  /** Resolves when a request ends; null if none is under way. */
  requestEnds(): Promise<void> | null {
    return this.#underWay.size === 0 ? null : Promise.race(this.#underWay);
  }

  /** Begins no more requests, waits for those under way, saves their results and releases the lease. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    while (this.#underWay.size > 0) {
      await endOfFirst(this.#underWay, this.#parts.bounds.saveIntervalMs);
      // One hanging receiver may outlast the lease. A write that fails is repeated by the next one.
      if (this.#wasLeased) await this.#hold().catch(() => {});
    }
    await this.#leave();
  }

  /** Returns true if requests may begin: none may be under way once another node can hold the lease. */
  #mayBegin(): boolean {
    const { bounds, elapsed } = this.#parts;
    return !this.#isStopping && !this.#reach.isCutOff(elapsed()) && this.#isLeased(bounds.leaseMs * LEASE_MARGIN);
  }

  /**
   * Releases the lease for a while if this node cannot send: it reaches no receiver, or its key opens no secret.
   * Another node may have a way out, or the right key.
   */
  async #isResting(): Promise<boolean> {
    const { elapsed, bounds } = this.#parts;
    if (elapsed() < this.#restsUntil) return true;
    const opensNone = this.#loaded.opensNone && Number.isFinite(bounds.unreachedMs);
    const isUnable = opensNone || this.#reach.isCutOff(elapsed());
    if (!isUnable || this.#underWay.size > 0) return false;
    await this.#leave();
    this.#forgetEverything();
    this.#reach.forget();
    this.#restsUntil = elapsed() + bounds.unreachedMs;
    return true;
  }

  /** Returns true if there is nothing to send and nothing to load. */
  async #isQuiet(): Promise<boolean> {
    if (this.#loaded.version === null || this.#outboxes.busy.size > 0 || this.#underWay.size > 0) return false;
    const { version, lastPosition, hasTests } = await this.#parts.store.news();
    return version === this.#loaded.version && !hasTests && this.#outboxes.areAtRest(lastPosition);
  }

  #isLeased(margin: number): boolean {
    return this.#parts.elapsed() < this.#leasedUntil - margin;
  }

  /** Saves settled deliveries and keeps the lease. Returns false if another node has it. */
  async #hold(): Promise<boolean> {
    const { elapsed, bounds } = this.#parts;
    const now = elapsed();
    const isDue = now - this.#savedAt >= bounds.saveIntervalMs && (this.#hasChanges() || this.#isIdleSaveDue(now));
    if (this.#isLeased(0) && !isDue && now - this.#renewedAt < bounds.leaseMs * RENEWED_AFTER) return true;
    return this.#save(false);
  }

  #hasChanges(): boolean {
    if (this.#unsaved !== null || this.#attempts.length > 0 || this.#testsDone.length > 0) return true;
    for (const outbox of this.#outboxes.busy) if (outbox.isChanged) return true;
    return false;
  }

  #isIdleSaveDue(now: number): boolean {
    return this.#outboxes.isIdleSaveDue(now - this.#idleSavedAt);
  }

  /** True if this node has taken the lease. If it has ended, no other node may have taken it yet. */
  get #wasLeased(): boolean {
    return this.#leasedUntil > 0;
  }

  /** Saves everything, including what has come since a write that failed, and releases the lease. */
  async #leave(): Promise<void> {
    if (this.#wasLeased && this.#unsaved !== null) await this.#save(true);
    if (this.#wasLeased) await this.#save(true);
    await this.#parts.store.giveBack();
  }

  async #save(isLast: boolean): Promise<boolean> {
    const { store, elapsed } = this.#parts;
    const began = elapsed();
    this.#unsaved ??= this.#gather(began, isLast);
    const saved = this.#unsaved;
    const result = await store.save(saved);
    this.#unsaved = null;
    this.#savedAt = began;
    if (result === null) {
      this.#forgetEverything();
      return false;
    }
    this.#leasedUntil = began + this.#parts.bounds.leaseMs;
    this.#renewedAt = began;
    this.#isClockBelieved = result.isClockBelieved;
    this.#loaded.drop(result.moved);
    this.#replays.finish(saved);
    this.#outboxes.dropClosed();
    this.#replays.forgetDropped(this.#outboxes);
    return true;
  }

  #gather(began: number, isLast: boolean): Saved {
    const isIdle = isLast || this.#isIdleSaveDue(began);
    if (isIdle) this.#idleSavedAt = began;
    const saved = { progress: [], stored: [], settled: [], failed: [], alarms: [], disabled: [] } as {
      -readonly [Key in keyof Omit<Saved, 'attempts' | 'tests' | 'replays' | 'leaseMs'>]: Saved[Key][number][];
    };
    for (const outbox of this.#outboxes.toSave(isLast ? 'all' : isIdle ? 'some' : 'none')) {
      const changes = outbox.takeChanges();
      saved.progress.push(changes.progress);
      saved.stored.push(...changes.stored);
      saved.settled.push(...changes.settled);
      saved.failed.push(...changes.failed);
      if (changes.alarm !== null)
        saved.alarms.push({ destinationId: changes.progress.destinationId, ...changes.alarm });
      if (changes.disabled !== null) saved.disabled.push(changes.disabled);
    }
    const attempts = this.#attempts;
    const tests = this.#testsDone;
    this.#attempts = [];
    this.#testsDone = [];
    for (const { eventId } of tests) this.#testsUnderWay.delete(eventId);
    return { ...saved, attempts, tests, replays: this.#replays.progress(), leaseMs: this.#parts.bounds.leaseMs };
  }

  /** Clears all state, because another node sends now; results of requests under way are no longer saved here. */
  #forgetEverything(): void {
    this.#outboxes.clear();
    this.#replays.clear();
    this.#attempts = [];
    this.#testsDone = [];
    this.#testsUnderWay.clear();
    this.#loaded.forget();
    this.#leasedUntil = 0;
  }

  /** Begins as many requests as the bounds allow, round-robin over the destinations, the longest unserved first. */
  async #begin(): Promise<void> {
    if (!this.#mayBegin()) return;
    const { clock, elapsed, bounds } = this.#parts;
    const [now, moment] = [clock(), elapsed()];
    const chosen: { outbox: Outbox; delivery: Delivery; place: Place }[] = [];
    this.#outboxes.rest(moment, bounds.restsAfterMs);
    const isTurnOfFailing = this.#limits.isTurnOfFailing(moment);
    let turn = [...this.#outboxes.busy]
      .filter((outbox) => outbox.mayBegin(now) && (isTurnOfFailing || !outbox.isBackedOff))
      .sort(byTurn)
      .map((outbox) => ({ outbox, startable: outbox.startable(now, moment) }));
    while (turn.length > 0 && this.#underWay.size + chosen.length < bounds.atOnce) {
      turn = turn.filter(({ outbox, startable }) => {
        const place = this.#limits.find(outbox, this.#underWay.size + chosen.length, now, moment);
        if (place === null) return false;
        const delivery = startable.next().value;
        if (delivery === undefined) return false;
        this.#limits.begin(outbox, place, moment);
        outbox.begin(delivery, moment);
        chosen.push({ outbox, delivery, place });
        return outbox.mayBegin(now);
      });
    }
    if (chosen.length === 0) return;
    const putBack = () => {
      for (const { outbox, delivery, place } of chosen) {
        this.#limits.end(outbox, place);
        outbox.putBack(delivery);
      }
    };
    const keys = chosen.map(({ outbox, delivery: { eventId } }) => {
      const { creatorId, includeLicenseKeys, includePersonalData } = outbox.destination;
      return { eventId, included: { creatorId, includeLicenseKeys, includePersonalData } };
    });
    const messages = await this.#parts.store.messages(keys).catch((error: unknown) => {
      putBack();
      throw error;
    });
    // The lease may have ended while the database or this process stood still.
    if (!this.#mayBegin()) return putBack();
    for (const [index, { outbox, delivery, place }] of chosen.entries()) {
      const message = messages[index] ?? null;
      if (message === null) {
        this.#limits.end(outbox, place);
        this.#outboxes.change(outbox, () => outbox.settle(delivery));
      } else this.#run(this.#attempt(outbox, delivery, place, message));
    }
  }

  #run(work: Promise<void>): void {
    const running = work.finally(() => this.#underWay.delete(running));
    this.#underWay.add(running);
  }

  async #attempt(outbox: Outbox, delivery: Delivery, place: Place, message: Message) {
    const { clock, random, on } = this.#parts;
    const number = ++this.#number;
    const asked = ownedHostOf(outbox);
    const { url } = outbox.destination;
    const result = await this.#request(outbox, place, delivery.eventId, message.body);
    this.#reach.note(outbox.destination.destinationId, result.status !== null, this.#parts.elapsed());
    this.#limits.end(outbox, place);
    const now = clock();
    const moment = { number, last: this.#number, now, random: random() };
    this.#limits.hosts.note(asked, result, moment);
    const attempt = attemptOf(outbox.destination, { eventId: delivery.eventId, type: message.type }, result, now);
    // The lease or the destination was lost during the request, so its result is not saved here.
    if (this.#outboxes.get(outbox.destination.destinationId) !== outbox) return;
    this.#attempts.push(attempt);
    const isFirst = delivery.cause === 'change' && delivery.attempts === 0 && !outbox.isFailing;
    on.attempted(attempt, isFirst ? Math.max(0, attempt.at - message.occurredAt) : null);
    // The URL may have changed during the request.
    if (result.outcome === 'delivered') outbox.isProven = url === outbox.destination.url;
    const change = this.#outboxes.change(outbox, () => outbox.note(delivery, result, moment));
    this.#report(outbox, this.#isGivenUp(outbox, now) ? outbox.giveUp() : change, result.outcome);
    if (change === 'failed') on.failed(outbox.destination.destinationId, delivery.eventId);
    if (result.receiverTime !== null && Math.abs(result.receiverTime - now) > MAX_CLOCK_DIFFERENCE_MS)
      on.clockDiffers(new URL(outbox.destination.url).origin, result.receiverTime - now);
  }

  /** Notes the destinations for which the feed is not read, because too many deliveries wait. */
  #watchFull(): void {
    const now = this.#parts.clock();
    for (const [outbox, change] of this.#outboxes.watchFull(now))
      this.#report(outbox, this.#isGivenUp(outbox, now) ? outbox.giveUp() : change, TOO_MANY_REFUSED);
  }

  #isGivenUp({ progress: { failingSince } }: Outbox, now: number): boolean {
    return failingSince !== null && now - failingSince >= this.#parts.bounds.giveUpMs && this.#isClockBelieved;
  }

  #report(outbox: Outbox, change: OutboxChange, error: string): void {
    if (change === null) return;
    const { on } = this.#parts;
    const { destinationId, url } = outbox.destination;
    const { origin } = new URL(url);
    if (change === 'failing') on.failing(destinationId, origin, error);
    if (change === 'back') on.back(destinationId, origin);
    if (change === 'disabled') on.disabled(destinationId, origin, outbox.disabledBecause ?? '');
  }

  #request(outbox: Outbox, place: Place, eventId: string, body: string): Promise<AttemptResult> {
    const moveOn = () => this.#mayBegin() && this.#limits.moveOn(place);
    return requestSigned(this.#parts, outbox, place, { eventId, body }, moveOn);
  }

  /** Sends the requested test events. Only a success has an effect: it ends a back-off. */
  async #sendTests(): Promise<void> {
    if (!this.#mayBegin()) return;
    for (const test of await this.#parts.store.listTests()) {
      if (this.#testsUnderWay.has(test.eventId)) continue;
      const outbox = this.#outboxes.open(test.destinationId);
      if (outbox === undefined) continue;
      const { owner } = outbox;
      const asked = ownedHostOf(outbox);
      const place = this.#limits.findForTest(outbox, this.#underWay.size);
      if (place === null) continue;
      this.#testsUnderWay.add(test.eventId);
      this.#limits.beginTest(owner, place);
      this.#run(
        this.#request(outbox, place, test.eventId, test.body).then((result) => {
          this.#limits.endTest(owner, place);
          if (result.outcome === 'delivered') this.#limits.hosts.noteDelivered(asked);
          const attempt = attemptOf(outbox.destination, test, result, this.#parts.clock());
          this.#attempts.push(attempt);
          this.#testsDone.push({ destinationId: test.destinationId, eventId: test.eventId });
          this.#parts.on.attempted(attempt, null);
          // Not the outbox of the start, because the destination may rest during a test.
          const now = this.#outboxes.open(test.destinationId);
          if (now === undefined || result.outcome !== 'delivered') return;
          if (this.#outboxes.change(now, () => now.succeed(this.#parts.clock())))
            this.#parts.on.back(test.destinationId, new URL(outbox.destination.url).origin);
        }),
      );
    }
  }
}
