/** The client that apps use: state, timers and events. */
import type { Activation } from './activation.ts';
import type { Checks } from './checks.ts';
import { HOUR_MS } from './decide.ts';
import type { LicenseRecord } from './license-record.ts';
import type { TrialOrder } from './machine-calls.ts';
import type { Metering } from './metering.ts';
import type { PlatformOptions, Processes } from './options.ts';
import { requestText } from './request.ts';
import type { Consumption, Events, FeatureValue, LicenseState, RefusedUse } from './state.ts';
import type { Clock } from './trusted-clock.ts';

/** The parts of a client, see create.ts. */
export interface LatchkeyParts {
  readonly options: PlatformOptions;
  readonly record: LicenseRecord;
  readonly checks: Checks;
  readonly metering: Metering;
  readonly activation: Activation;
  readonly clock: Clock;
  readonly processes: Processes | null;
}

type Listener<Event extends keyof Events> = (detail: Events[Event]) => void;

/** Maximum length of a timer, so that a check after the machine wakes from sleep is not late. */
const LONGEST_TIMER_MS = HOUR_MS / 4;
/** Checks within this time after the last one make no further request, for users who click repeatedly. */
const CLICK_PAUSE_MS = 2000;
/** Hours before the end of a grace at which the app is warned. */
const WARNINGS = [1, 24, 72];

/** The license of an app on this machine. Created by `createLatchkey`. */
export class Latchkey {
  readonly #parts: LatchkeyParts;
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>();
  #state: LicenseState;
  /** The work in progress; the next work waits for it. */
  #work: Promise<unknown> = Promise.resolve();
  #check: Promise<LicenseState> | null = null;
  #isRunning = false;
  #callOff: () => void = () => {};
  #endWatch: (() => void) | undefined;
  /** By the monotonic clock and by the wall clock, which goes on while the machine sleeps. */
  #due: { monotonic: number; local: number } | null = null;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #warned = Number.POSITIVE_INFINITY;
  /** The failure that was reported last, because it is tried again every minute. */
  #reportedFailure: string | null = null;

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
   * Reads the stored state and keeps it up to date from then on. If the stored state allows the app to run, returns at
   * once and asks the service in the background; otherwise waits for its answer, at most as long as one request may
   * take. Never rejects.
   */
  async start(): Promise<LicenseState> {
    if (this.#isRunning) return this.#state;
    this.#isRunning = true;
    this.#endWatch = this.#parts.options.storage.watch?.(() => void this.#onStored());
    await this.#inTurn(() => this.#parts.record.load()).catch((error) => this.#cannotStart(error));
    await this.#parts.processes?.beat().catch(() => {});
    this.#publish();
    if (this.#parts.record.stored.licenseKey === null) return this.#armed();
    const checked = this.#checkSoon(false);
    if (!this.#state.mayRun)
      await Promise.race([checked, this.#waited(this.#parts.options.requestTimeoutMs ?? 10_000)]);
    return this.state;
  }

  /** Another process may have entered a key, deactivated the license, or heard a refusal. */
  async #onStored(): Promise<void> {
    const { record } = this.#parts;
    const before = record.stored;
    await this.#inTurn(() => record.loadIfChanged()).catch((error) => this.#cannotStart(error));
    const { licenseKey, tombstone } = record.stored;
    // Another license, or another verdict about it, is checked by this process, too.
    if (licenseKey !== before.licenseKey || (tombstone === null) !== (before.tombstone === null)) this.#armed();
    else this.#publish();
  }

  #cannotStart(error: unknown): void {
    const detail = `cannot start: ${error instanceof Error ? error.message : error}`;
    if (detail !== this.#reportedFailure) this.#tell('storage-problem', { detail });
    this.#reportedFailure = detail;
  }

  /**
   * Binds a license key to this machine; uses the stored key if none is given. If a floating license has no free seat,
   * the state becomes `waiting`. Rejects with `Refused` if the service refuses, with `Unreachable` if it does not
   * answer.
   */
  async activate(licenseKey?: string): Promise<LicenseState> {
    return this.#changing(() => this.#parts.activation.activate(licenseKey));
  }

  /**
   * Starts the trial of this machine, without a license key; changes nothing while the app may run. A machine has one
   * trial of a product. Rejects with `Refused`, with the code `trial_over` once it has ended, and with `Unreachable` if
   * the service does not answer.
   */
  async startTrial(order: TrialOrder = {}): Promise<LicenseState> {
    return this.#changing(() => this.#parts.activation.startTrial(order));
  }

  /** Asks the service now. Concurrent callers share one request. Never rejects. */
  async check(): Promise<LicenseState> {
    const { clock, record } = this.#parts;
    const isTooSoon = record.pauseMs > 0 || clock.monotonic() - this.#checkedAt < CLICK_PAUSE_MS;
    if (this.#check === null && isTooSoon) return this.state;
    return this.#checkSoon(true);
  }

  /**
   * Frees the slot of this machine and forgets the license. Rejects with `Unreachable`, and then nothing has changed.
   */
  async deactivate(): Promise<void> {
    await this.#changing(() => this.#parts.activation.deactivate());
  }

  /**
   * Ends the checks, gives back a floating seat as the option `release` says, and keeps the license for the next start.
   * Never rejects.
   */
  async close(): Promise<void> {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    this.#callOff();
    this.#endWatch?.();
    const { processes, activation } = this.#parts;
    await this.#inTurn(async () => {
      const isLast = (await processes?.leave().catch(() => false)) ?? true;
      if (isLast) await activation.giveSeatBack();
    }).catch(() => {});
  }

  /**
   * The value of a feature of the license: true, false, a number or a text; undefined if the license does not have it,
   * and while the app may not run.
   */
  feature(name: string): FeatureValue | undefined {
    return this.mayRun ? this.#parts.record.feature(name) : undefined;
  }

  /**
   * Counts units of a meter of the license; 0 units only ask. While the service does not answer, the use waits in the
   * stored state, if the option `offlineUses` allows it, and is sent later.
   *
   * @param options `requestId` names the use, and is counted once within 48 hours; a new one by default
   *
   * Rejects with `Refused`, with the code `meter_limit` beyond the limit, and with `Unreachable`; then nothing was
   * counted.
   */
  async consume(meter: string, units = 1, options: { readonly requestId?: string } = {}): Promise<Consumption> {
    const { record, metering } = this.#parts;
    const { outcome } = record;
    try {
      return await this.#inTurn(() => metering.consume({ ...options, meter, units }));
    } finally {
      // A use that says nothing about the license leaves the next check where it is.
      if (record.outcome === outcome) this.#publish();
      else this.#armed();
    }
  }

  /** A text from which an operator makes a license file for this machine, which has no network. */
  async exportRequest(licenseKey: string): Promise<string> {
    const { record, options, clock } = this.#parts;
    await this.#inTurn(() => record.load());
    const { fingerprint } = record;
    const { productId, hostname } = options;
    return requestText({ productId, licenseKey, fingerprint, hostname, createdAt: clock.now() });
  }

  /** Imports a license file. Rejects with `BadLicenseFile`. */
  async importFile(text: string): Promise<LicenseState> {
    return this.#changing(() => this.#parts.activation.importFile(text));
  }

  /** Adds a listener for an event. Call the returned function to remove it. */
  on<Event extends keyof Events>(event: Event, listener: Listener<Event>): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener as Listener<never>));
    return () => listeners.delete(listener as Listener<never>);
  }

  /** Milliseconds until the next automatic check; null if none is planned. @internal */
  get nextCheckMs(): number | null {
    if (this.#due === null || !this.#isRunning) return null;
    return Math.max(0, this.#due.monotonic - this.#parts.clock.monotonic());
  }

  /** Resolves when no work is under way. @internal */
  async idle(): Promise<void> {
    for (let work: unknown = null; work !== this.#work || this.#check !== null; ) {
      work = this.#work;
      await work;
      await this.#check;
    }
  }

  /** @internal */
  tellRefusedUse(use: RefusedUse): void {
    this.#tell('use-refused', use);
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
    const { checks, metering, record, clock, processes } = this.#parts;
    this.#check ??= this.#inTurn(async () => {
      await processes?.beat().catch(() => {});
      await checks.ask(isAskedFor);
      if (record.outcome.kind === 'good') await metering.send();
    })
      // Only the search for the fingerprint fails here; it is repeated after a pause.
      .catch((error) => this.#cannotStart(error))
      .then(() => {
        this.#check = null;
        this.#checkedAt = clock.monotonic();
        return this.#armed();
      });
    return this.#check;
  }

  /** Publishes the state and restarts the timer after a check or a change. */
  #armed(): LicenseState {
    const { clock, checks } = this.#parts;
    const untilCheck = checks.untilCheckMs;
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

  /** Takes over the state of the record, and emits the changes. */
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

  /** Warns about the end of the grace, once for each number of hours. */
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

  /** Calls the listeners. A failing listener stops neither the others nor the client. */
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
