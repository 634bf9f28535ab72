/**
 * Everything known about the license on this machine: the stored state, the verified file, and the outcome of the last
 * call.
 */
import { DAY_MS, decide, HOUR_MS, type Outcome } from './decide.ts';
import { factsOfKey } from './facts.ts';
import { type LicenseFileClaims, type PublicKey, type VerifySignature, verifyLicenseFile } from './license-file.ts';
import type { CommonOptions } from './options.ts';
import type { RefusalCode } from './refusals.ts';
import * as schedule from './schedule.ts';
import { followKeyLists } from './signing-keys.ts';
import type { FeatureValue, LicenseFacts, LicenseState, Problem } from './state.ts';
import type { StateKeeper } from './state-keeper.ts';
import { EMPTY, lacksTimes, latestIn, type StoredState, type StoredUse } from './stored-state.ts';
import { type Build, covers, featureOf, type Terms, termsOfFacts, termsOfFile } from './terms.ts';
import { type Clock, TrustedClock } from './trusted-clock.ts';

export interface RecordParts {
  readonly options: CommonOptions;
  readonly build: Build;
  readonly keeper: StateKeeper;
  readonly clock: Clock;
  readonly random: () => number;
  readonly fingerprint: () => string | Promise<string>;
  readonly verifySignature: VerifySignature;
}

/** Pause before another attempt to read the stored state, or to find the fingerprint. */
const UNREAD_PAUSE_MS = HOUR_MS / 60;

/** Changes of the stored state, or a function of the present one, which another process may have changed. */
type Changes = Partial<StoredState> | ((present: StoredState) => Partial<StoredState>);

function changesOf(changes: Changes, present: StoredState): Partial<StoredState> {
  return typeof changes === 'function' ? changes(present) : changes;
}

export class LicenseRecord {
  /** The stored state as of the last read. */
  stored: StoredState = EMPTY;
  /** The verified file, which may have expired; null without one. */
  file: LicenseFileClaims | null = null;
  outcome: Outcome = { kind: 'not-asked' };
  /** Available after a `load` that did not reject. */
  fingerprint = '';
  readonly #parts: RecordParts;
  readonly #clock: TrustedClock;
  readonly #publicKeys: readonly PublicKey[];
  /** Why the fingerprint could not be found; null if it was, or was not needed yet. */
  #fingerprintProblem: string | null = null;
  /** The time of this process's last good answer. */
  #answeredAt: number | null = null;
  /** The terms in this process's last answer that stated them; null without one. */
  #answeredTerms: Terms | null = null;
  #failures = 0;
  #polls = 0;
  /** By the monotonic clock: no request before this time, even if the user asks for one. */
  #notBefore = 0;

  constructor(parts: RecordParts) {
    this.#parts = parts;
    this.#clock = new TrustedClock(parts.clock);
    this.#publicKeys = parts.options.publicKeys ?? [];
  }

  /** The state at this moment. */
  get state(): LicenseState {
    const { grace } = this.#parts.options;
    return decide({
      stored: this.stored,
      file: this.file,
      needsFile: this.needsFile,
      answeredAt: this.#answeredAt,
      outcome: this.outcome,
      lifetimes: {
        graceMs: (grace?.days ?? 30) * DAY_MS,
        floatingGraceMs: (grace?.floatingHours ?? 24) * HOUR_MS,
      },
      coversBuild: this.coversBuild,
      now: this.now,
      clock: this.#clock.condition,
      storageProblem: this.#parts.keeper.problem ?? this.#fingerprintProblem,
    });
  }

  /**
   * The terms of an answer, else those of the signed file, else those of the stored facts if no signed file is needed.
   */
  get #terms(): Terms | null {
    if (this.#answeredTerms !== null) return this.#answeredTerms;
    if (this.file !== null) return termsOfFile(this.file);
    const { facts } = this.stored;
    return this.needsFile || facts === null ? null : termsOfFacts(facts);
  }

  /** Whether the license covers this build of the app. */
  get coversBuild(): boolean {
    const terms = this.#terms;
    return terms === null || covers(terms, this.#parts.build);
  }

  /** The value of a feature; undefined if the license does not have it. */
  feature(name: string): FeatureValue | undefined {
    const terms = this.#terms;
    return terms === null ? undefined : featureOf(terms, name, this.now);
  }

  /** Milliseconds since 1970, see trusted-clock.ts. */
  get now(): number {
    return this.#clock.now();
  }

  /** Whether only a signed file lets the app go on without the server. */
  get needsFile(): boolean {
    return this.#publicKeys.length > 0;
  }

  /** The problem of the last call; null if it had an answer, and while the machine has lost its slot. */
  get problem(): Problem | null {
    return this.outcome.kind === 'problem' ? this.outcome.problem : null;
  }

  get isFloating(): boolean {
    return this.stored.facts?.licenseType === 'floating';
  }

  /** Milliseconds until the server may be asked again. */
  get pauseMs(): number {
    return Math.max(0, this.#notBefore - this.#parts.clock.monotonic());
  }

  /** Milliseconds until the next check; null if there is nothing to check. */
  untilCheckMs(heartbeatMs: number): number | null {
    if (this.#fingerprintProblem !== null) return UNREAD_PAUSE_MS;
    if (this.stored.licenseKey === null) return this.#parts.keeper.isUnread ? UNREAD_PAUSE_MS : null;
    return Math.max(this.pauseMs, this.#untilCheckMs(heartbeatMs, this.#parts.random()));
  }

  #untilCheckMs(heartbeatMs: number, random: number): number {
    const { tombstone, seat } = this.stored;
    const isRefused = tombstone !== null || (this.outcome.kind === 'good' && !this.coversBuild);
    if (isRefused || this.outcome.kind === 'released') return schedule.untilRefusedCheck(random);
    if (this.outcome.kind === 'not-asked') return 0;
    if (this.outcome.kind === 'waiting') return schedule.untilSeatPoll(this.#polls, random);
    if (this.outcome.kind === 'problem') return schedule.untilRetry(this.#failures, this.isFloating, random);
    const seatMs = seat === null ? null : seat.until - this.now;
    return this.isFloating ? schedule.untilHeartbeat(heartbeatMs, seatMs, random) : schedule.untilDailyCheck(random);
  }

  /**
   * Reads the stored state, which another process may have changed, and verifies its file. Rejects without a
   * fingerprint, as no request and no file is of use without one; the rest of the stored state counts nevertheless.
   */
  async load(): Promise<void> {
    const isNamed = this.fingerprint !== '';
    const failure = isNamed ? null : await this.#findFingerprint();
    const { file } = this.stored;
    this.#adopt(await this.#parts.keeper.read());
    this.#clock.restore(this.stored.times);
    if (lacksTimes(this.stored)) await this.#compareTimes();
    const isNew = this.#clock.look();
    if (this.stored.file !== file || !isNamed) await this.#readFile();
    if (isNew && (this.stored.licenseKey !== null || this.file !== null)) await this.keep({});
    if (failure !== null) throw failure.error;
  }

  /** The same if another process has changed the stored state. */
  async loadIfChanged(): Promise<void> {
    if (await this.#parts.keeper.isChanged()) await this.load();
  }

  /** Returns null, or the error that the function of the app or of the platform threw. */
  async #findFingerprint(): Promise<{ readonly error: unknown } | null> {
    try {
      this.fingerprint = await this.#parts.fingerprint();
      this.#fingerprintProblem = null;
      return null;
    } catch (error) {
      this.#fingerprintProblem = `cannot find the fingerprint: ${error instanceof Error ? error.message : error}`;
      return { error };
    }
  }

  /**
   * Restores a lower bound of the time after the times were removed from the stored state: no earlier than any other
   * known moment. Only in that case, because those moments may come from a clock that was ahead and has been corrected.
   */
  async #compareTimes(): Promise<void> {
    for (const at of [latestIn(this.stored), await this.#parts.keeper.writtenAt()])
      if (at !== null) this.#clock.atLeast(at);
  }

  async #readFile(): Promise<void> {
    const { file } = this.stored;
    this.file = file === null ? null : await this.verify(file).catch(() => null);
    if (this.file !== null) this.#clock.atLeast(this.file.iat * 1000);
  }

  /** The claims of a license file for this machine; `now` null accepts expired files. Throws `BadLicenseFile`. */
  async verify(text: string, now: number | null = null, keyLists = this.stored.keyLists): Promise<LicenseFileClaims> {
    const { verifySignature, options } = this.#parts;
    const { keys } = await this.#follow(keyLists);
    return verifyLicenseFile(text, {
      publicKeys: keys,
      issuer: options.issuer ?? '',
      productId: options.productId,
      fingerprint: this.fingerprint,
      now,
      verifySignature,
    });
  }

  /** The signed lists that lead to signing keys which are not compiled into the app. */
  async usefulKeyLists(keyLists: readonly string[]): Promise<readonly string[]> {
    return (await this.#follow(keyLists)).lists;
  }

  #follow(keyLists: readonly string[]) {
    const { verifySignature, options } = this.#parts;
    return followKeyLists(this.#publicKeys, options.issuer ?? '', keyLists, verifySignature, options.stolenKeys);
  }

  /** The known facts, or those of a key before its first answer. */
  factsBefore(licenseKey: string): LicenseFacts {
    return this.stored.facts ?? factsOfKey(licenseKey, this.#parts.options.productId);
  }

  /** The uses of meters that wait for an answer. */
  get uses(): readonly StoredUse[] {
    return this.stored.uses ?? [];
  }

  /** Stores changes. Returns false if another process has stored another license meanwhile, which stays then. */
  async keep(changes: Changes): Promise<boolean> {
    const { licenseKey } = this.stored;
    const times = this.#clock.times;
    await this.#took(
      await this.#parts.keeper.change(this.stored, (present) => ({ ...changesOf(changes, present), times })),
    );
    return this.stored.licenseKey === licenseKey;
  }

  /** Replaces the stored state. */
  async replace(state: StoredState): Promise<void> {
    this.#forgetLicense();
    await this.#took(
      await this.#parts.keeper.replace(state === EMPTY ? EMPTY : { ...state, times: this.#clock.times }),
    );
  }

  async #took(state: StoredState): Promise<void> {
    const { file } = this.stored;
    this.#adopt(state);
    if (state.file !== file) await this.#readFile();
  }

  /** Answers about one license say nothing of another. */
  #adopt(state: StoredState): void {
    if (state.licenseKey !== this.stored.licenseKey) this.#forgetLicense();
    this.stored = state;
  }

  #forgetLicense(): void {
    this.#forgetOutcome();
    this.#answeredTerms = null;
  }

  #forgetOutcome(): void {
    this.#begin({ kind: 'not-asked' });
    this.#polls = 0;
  }

  /** Begins an outcome, without the failures before it. */
  #begin(outcome: Outcome): void {
    this.outcome = outcome;
    this.#answeredAt = null;
    this.#failures = 0;
    this.#notBefore = 0;
  }

  /** Learns the time from an answer of the service. */
  learnTime(serverTime: number | null): void {
    if (serverTime !== null) this.#clock.learn(serverTime);
  }

  /** The service accepted the license. */
  async accept(
    changes: Partial<StoredState> & { readonly facts: LicenseFacts },
    serverTime: number | null,
    sessionExpiresAt: string | undefined,
  ): Promise<void> {
    this.learnTime(serverTime);
    this.#forgetOutcome();
    this.#answeredTerms = termsOfFacts(changes.facts);
    const { now } = this;
    const seatMs = sessionExpiresAt === undefined ? null : Date.parse(sessionExpiresAt) - (serverTime ?? now);
    this.outcome = { kind: 'good' };
    this.#answeredAt = now;
    const seat = seatMs === null ? null : { until: now + seatMs, beatAt: now };
    await this.keep({ ...changes, lastGoodAt: now, tombstone: null, seat });
  }

  /**
   * The service refused the license: nothing in the stored state licenses the app until the service accepts it again.
   */
  async refuse(code: RefusalCode): Promise<void> {
    await this.#withdraw({ file: null, tombstone: { code, at: this.now } }, { kind: 'not-asked' });
  }

  /** The license does not cover this build. Older builds of this machine run on, so nothing else is stored. */
  async leaveUncovered(coverage: Pick<LicenseFacts, 'updatesUntil' | 'maxVersion'>): Promise<boolean> {
    const { facts } = this.stored;
    const terms = termsOfFacts({ features: null, ...coverage });
    if (facts === null || covers(terms, this.#parts.build)) return false;
    if (await this.keep({ facts: { ...facts, ...coverage } })) {
      this.#begin({ kind: 'good' });
      this.#answeredTerms = terms;
    }
    return true;
  }

  /** No seat is free (`waiting`), or the machine no longer has a slot (`released`). */
  async lose(kind: 'waiting' | 'released'): Promise<void> {
    this.#polls += 1;
    // An operator's file is for a machine without a network, and stays valid.
    const file = this.file !== null && this.file.purpose !== 'grace' ? this.stored.file : null;
    await this.#withdraw({ file }, { kind });
  }

  async #withdraw(changes: Partial<StoredState>, outcome: Outcome): Promise<void> {
    if (await this.keep({ ...changes, lastGoodAt: null, seat: null })) this.#begin(outcome);
  }

  /** There was no answer, or an inconclusive one. */
  miss({
    problem,
    retryAfterMs,
  }: {
    readonly problem: Problem;
    readonly retryAfterMs?: number | null | undefined;
  }): void {
    this.#failures += 1;
    this.#notBefore = this.#parts.clock.monotonic() + (retryAfterMs ?? 0);
    // Disconnecting does not restore a lost seat.
    if (this.outcome.kind === 'waiting' || this.outcome.kind === 'released') return;
    const since =
      this.outcome.kind === 'problem' ? this.outcome.since : (this.#answeredAt ?? this.stored.lastGoodAt ?? this.now);
    this.outcome = { kind: 'problem', problem, since };
  }
}
