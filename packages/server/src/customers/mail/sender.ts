/**
 * The sender of e-mails. A round ({@link MailSender.look}) stores results and begins attempts of e-mails that are due.
 * One node at a time sends, by the lease of a job.
 */
import type { BegunMail, EndedMail, MailNews, MailStore } from './mail-store.ts';
import { isDue } from './schedule.ts';
import type { OutgoingMail, SmtpResult } from './smtp.ts';

/** Attempts under way. */
const MAX_UNDER_WAY = 3;
/** Time that a stop waits for attempts under way, before it ends them. */
const STOP_MS = 5_000;

/** Bounds of the sender in milliseconds; tests set small ones. */
export interface MailBounds {
  /** Interval at which a node looks for e-mails, and so the longest delay of one. */
  readonly lookMs: number;
  /** Rest after the mail server could not be used, so that waiting e-mails do not use up their attempts one by one. */
  readonly unreachedMs: number;
  /** Rest while another node sends, or while the hourly limit is used up. */
  readonly restMs: number;
}

export const MAIL_BOUNDS: MailBounds = { lookMs: 2_000, unreachedMs: 15_000, restMs: 5_000 };

/** Dependencies of the sender. */
export interface MailSenderParts {
  readonly store: MailStore;
  readonly send: (mail: OutgoingMail, signal: AbortSignal) => Promise<SmtpResult>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  readonly bounds: MailBounds;
  readonly on: (news: MailNews) => void;
}

export class MailSender {
  readonly #parts: MailSenderParts;
  /** By the id of the e-mail. */
  readonly #underWay = new Map<string, Promise<void>>();
  /** Results that are not stored yet; kept until the database takes them. */
  #ended: EndedMail[] = [];
  /** By the monotonic clock. */
  #restsUntil = Number.NEGATIVE_INFINITY;
  readonly #stopping = new AbortController();

  constructor(parts: MailSenderParts) {
    this.#parts = parts;
  }

  /**
   * Runs one round.
   *
   * @returns true if there may be more to do at once
   * @throws if the database is unavailable; the next round continues where this one stopped
   */
  async look(): Promise<boolean> {
    const { store, clock, elapsed, bounds, on } = this.#parts;
    await this.#storeEnded();
    const room = MAX_UNDER_WAY - this.#underWay.size;
    if (room <= 0 || elapsed() < this.#restsUntil || this.#stopping.signal.aborted) return false;
    const dueAt = await store.findDueMail();
    if (dueAt === null || !isDue(dueAt, clock())) return false;
    // Results may have come in since they were last stored.
    const unsettled = [...this.#underWay.keys(), ...this.#ended.map(({ mailId }) => mailId)];
    const begun = await store.beginMails(room, unsettled);
    if (begun === null) {
      this.#rest(bounds.restMs);
      return false;
    }
    for (const news of begun.news) on(news);
    for (const each of begun.mails) this.#run(each);
    if (begun.pauseMs > 0) this.#rest(Math.min(begun.pauseMs, bounds.restMs));
    return begun.mails.length + begun.news.length + begun.postponed > 0;
  }

  /** Resolves when an attempt ends; null if none is under way. */
  attemptEnds(): Promise<void> | null {
    return this.#underWay.size === 0 ? null : Promise.race(this.#underWay.values());
  }

  /** Begins no more attempts, waits for those under way, stores their results and releases the lease. */
  async stop(): Promise<void> {
    this.#rest(Number.POSITIVE_INFINITY);
    const ending = setTimeout(() => this.#stopping.abort(), STOP_MS);
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
    clearTimeout(ending);
    await this.#storeEnded();
    await this.#parts.store.giveBackMails();
  }

  #rest(milliseconds: number): void {
    this.#restsUntil = Math.max(this.#restsUntil, this.#parts.elapsed() + milliseconds);
  }

  #run({ mailId, kind, attempt, mail }: BegunMail): void {
    const running = this.#parts.send(mail, this.#stopping.signal).then((result) => {
      this.#underWay.delete(mailId);
      const { error, answer } = result.outcome === 'sent' ? { error: null, answer: null } : result;
      this.#ended.push({ mailId, kind, attempt, outcome: result.outcome, error, answer });
      if (result.outcome !== 'sent' && !result.isConnected) this.#rest(this.#parts.bounds.unreachedMs);
    });
    this.#underWay.set(mailId, running);
  }

  async #storeEnded(): Promise<void> {
    if (this.#ended.length === 0) return;
    const ended = this.#ended;
    this.#ended = [];
    try {
      for (const news of await this.#parts.store.endMails(ended)) this.#parts.on(news);
    } catch (error) {
      this.#ended = [...ended, ...this.#ended];
      throw error;
    }
  }
}
