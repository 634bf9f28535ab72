/** The client that apps use: the state, its timers and its events. */
import { HOUR_MS } from './decide.ts';
import type { LicenseRecord } from './license-record.ts';
import type { CommonOptions, Processes } from './options.ts';
import { requestText } from './request.ts';
import type { Session } from './session.ts';
import type { Events, LicenseState } from './state.ts';
import type { Clock } from './trusted-clock.ts';

/** What a client is made of, see create.ts. */
export interface LatchkeyParts {
  readonly options: CommonOptions;
  readonly record: LicenseRecord;
  readonly session: Session;
  readonly clock: Clock;
  readonly hostname: string;
  readonly processes: Processes | null;
}

type Listener<Event extends keyof Events> = (detail: Events[Event]) => void;

/** Timers are no longer than this, so that a machine which slept does not oversleep. */
const LONGEST_TIMER_MS = HOUR_MS / 4;
/** A user who clicks again and again does not make more requests than this. */
const CLICK_PAUSE_MS = 2000;
/** Hours before the end of a grace at which the app is told. */
const WARNINGS = [1, 24, 72];

/** The license of an app on this machine. Made by `createLatchkey`. */
export class Latchkey {
  readonly #parts: LatchkeyParts;
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>();
  #state: LicenseState;
  /** The work that is under way; the next one waits for it. */
  #work: Promise<unknown> = Promise.resolve();
  #check: Promise<LicenseState> | null = null;
  #isRunning = false;
  #callOff: () => void = () => {};
  /** By the monotonic clock and by that of the machine, which goes on while the machine sleeps. */
  #due: { monotonic: number; local: number } | null = null;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #warned = Number.POSITIVE_INFINITY;

  /** @internal */
  constructor(parts: LatchkeyParts) {
    this.#parts = parts;
    this.#state = parts.record.state;
  }

  /** The state at this moment. */
  get state(): LicenseState {
    this.#publish();
    return this.#state;
  }

  /** Whether the app may be used: `licensed` or `grace`. */
  get mayRun(): boolean {
    return this.state.mayRun;
  }

  /**
   * Reads what is stored and keeps the state up to date from then on. Returns at once where the app may run by what is stored,
   * and asks the service in the background; otherwise waits for its answer, as long as one request may take. Never rejects.
   */
  async start(): Promise<LicenseState> {
    if (this.#isRunning) return this.#state;
    this.#isRunning = true;
    await this.#inTurn(() => this.#parts.record.load()).catch((error) => this.#cannotStart(error));
    await this.#parts.processes?.beat().catch(() => {});
    this.#publish();
    if (this.#parts.record.stored.licenseKey === null) return this.#armed();
    const checked = this.#checkSoon(false);
    if (!this.#state.mayRun)
      await Promise.race([checked, this.#waited(this.#parts.options.requestTimeoutMs ?? 10_000)]);
    return this.state;
  }

  #cannotStart(error: unknown): void {
    this.#tell('storage-problem', { detail: `cannot start: ${error instanceof Error ? error.message : error}` });
  }

  /**
   * Binds a license key to this machine; the stored one when none is given. A floating license without a free seat leads to
   * the state `waiting`. Rejects with `Refused` where the service says no, with `Unreachable` where it does not answer.
   */
  async activate(licenseKey?: string): Promise<LicenseState> {
    return this.#changing(() => this.#parts.session.activate(licenseKey));
  }

  /** Asks the service now. Those who ask at the same time share one request. Never rejects. */
  async check(): Promise<LicenseState> {
    const { clock, record } = this.#parts;
    const isTooSoon = record.pauseMs > 0 || clock.monotonic() - this.#checkedAt < CLICK_PAUSE_MS;
    if (this.#check === null && isTooSoon) return this.state;
    return this.#checkSoon(true);
  }

  /** Frees the slot of this machine and forgets the license. Rejects with `Unreachable`, and then nothing has changed. */
  async deactivate(): Promise<void> {
    await this.#changing(() => this.#parts.session.deactivate());
  }

  /** Ends the timers; a floating seat is given back as the option `release` says. Never rejects. */
  async stop(): Promise<void> {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    this.#callOff();
    const { processes, session } = this.#parts;
    await this.#inTurn(async () => {
      const isLast = (await processes?.leave().catch(() => false)) ?? true;
      if (isLast) await session.giveSeatBack();
    }).catch(() => {});
  }

  /** A text by which an operator makes a license file for this machine, which has no network. */
  async exportRequest(licenseKey: string): Promise<string> {
    const { record, options, hostname, clock } = this.#parts;
    await this.#inTurn(() => record.load());
    const { fingerprint } = record;
    return requestText({ productId: options.productId, licenseKey, fingerprint, hostname, createdAt: clock.now() });
  }

  /** Takes a license file. Rejects with `BadLicenseFile`. */
  async importFile(text: string): Promise<LicenseState> {
    return this.#changing(() => this.#parts.session.importFile(text));
  }

  /** Calls a listener at an event, until the function that is answered is called. */
  on<Event extends keyof Events>(event: Event, listener: Listener<Event>): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener as Listener<never>));
    return () => listeners.delete(listener as Listener<never>);
  }

  /** @internal */
  tellStorageProblem(detail: string): void {
    this.#tell('storage-problem', { detail });
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => {});
    return done;
  }

  async #changing(work: () => Promise<void>): Promise<LicenseState> {
    try {
      await this.#inTurn(work);
    } finally {
      this.#armed();
    }
    return this.#state;
  }

  #checkSoon(isAskedFor: boolean): Promise<LicenseState> {
    const { session, clock, processes } = this.#parts;
    this.#check ??= this.#inTurn(async () => {
      await processes?.beat().catch(() => {});
      await session.check(isAskedFor);
    })
      // Only the app's own fingerprint function fails here; the state stays what it is.
      .catch((error) => this.#cannotStart(error))
      .then(() => {
        this.#check = null;
        this.#checkedAt = clock.monotonic();
        return this.#armed();
      });
    return this.#check;
  }

  /** Publishes the state and sets the timer anew, after something was asked or changed. */
  #armed(): LicenseState {
    const { clock, session } = this.#parts;
    const untilCheck = session.untilCheckMs;
    this.#due =
      untilCheck === null ? null : { monotonic: clock.monotonic() + untilCheck, local: clock.now() + untilCheck };
    this.#publish();
    this.#setTimer();
    return this.#state;
  }

  #setTimer(): void {
    this.#callOff();
    if (!this.#isRunning) return;
    const { clock } = this.#parts;
    const untilCheck = this.#due === null ? LONGEST_TIMER_MS : this.#due.monotonic - clock.monotonic();
    this.#callOff = clock.after(Math.max(0, Math.min(LONGEST_TIMER_MS, untilCheck)), () => this.#onTimer());
  }

  #onTimer(): void {
    if (!this.#isRunning) return;
    const { clock } = this.#parts;
    const hasSlept = !clock.countsSleep && this.#due !== null && clock.now() >= this.#due.local;
    if (this.#due !== null && (hasSlept || clock.monotonic() >= this.#due.monotonic)) {
      void this.#checkSoon(false);
      return;
    }
    this.#publish();
    this.#setTimer();
  }

  #waited(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.#parts.clock.after(milliseconds, resolve));
  }

  /** Takes over the state of the record, and tells what has changed. */
  #publish(): void {
    const old = this.#state;
    const next = this.#parts.record.state;
    if (JSON.stringify(old) !== JSON.stringify(next)) {
      this.#state = next;
      this.#tell('state', { old, new: next });
      if (next.status === 'waiting' && old.mayRun) this.#tell('seat-lost', { state: next });
      if (next.status === 'licensed' && old.status === 'waiting') this.#tell('seat-regained', { state: next });
      if (next.status === 'grace' && old.status !== 'grace')
        this.#tell('grace-started', { until: next.until, problem: next.problem });
      this.#tellRenewal(old, next);
    }
    this.#warn(next);
  }

  #tellRenewal({ facts: old }: LicenseState, { facts }: LicenseState): void {
    if (old == null || facts == null || old.licenseKeyHint !== facts.licenseKeyHint) return;
    if (old.licenseExpiresAt === null || old.licenseExpiresAt === facts.licenseExpiresAt) return;
    const { licenseExpiresAt } = facts;
    if (licenseExpiresAt === null || Date.parse(licenseExpiresAt) > Date.parse(old.licenseExpiresAt))
      this.#tell('renewed', { licenseExpiresAt });
  }

  /** Tells that the grace ends, once for each number of hours. */
  #warn(state: LicenseState): void {
    if (state.status !== 'grace') {
      this.#warned = Number.POSITIVE_INFINITY;
      return;
    }
    const hoursLeft = (Date.parse(state.until) - this.#parts.record.now) / HOUR_MS;
    const warning = WARNINGS.find((hours) => hoursLeft <= hours);
    if (warning === undefined || warning >= this.#warned) return;
    this.#warned = warning;
    this.#tell('grace-ending', { until: state.until, hoursLeft: warning });
  }

  /** A listener that fails is the app's matter, and keeps neither the others nor the client from going on. */
  #tell<Event extends keyof Events>(event: Event, detail: Events[Event]): void {
    for (const listener of this.#listeners.get(event) ?? [])
      try {
        (listener as Listener<Event>)(detail);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
  }
}
