/** The requests to the service, and the consequences of its answers. Callers must run one call at a time. */
import { type Called, call, type Line } from './calls.ts';
import type { ActivateReply, VerifyReply } from './contract.ts';
import { DAY_MS, HOUR_MS } from './decide.ts';
import { Refused, Unreachable } from './errors.ts';
import {
  coverageIn,
  factsAfterActivation,
  factsAfterCheck,
  factsAfterHeartbeat,
  factsOfFile,
  factsOfKey,
  hintOf,
  isKeyOfFile,
} from './facts.ts';
import { FileRenewal } from './file-renewal.ts';
import { BadLicenseFile } from './license-file.ts';
import type { LicenseRecord } from './license-record.ts';
import { Metering, type Use } from './metering.ts';
import type { PlatformOptions } from './options.ts';
import type { Refusal } from './refusals.ts';
import * as schedule from './schedule.ts';
import type { Consumption, RefusedUse } from './state.ts';
import { EMPTY } from './stored-state.ts';

export interface SessionParts {
  readonly options: PlatformOptions;
  readonly line: Line;
  readonly record: LicenseRecord;
  readonly monotonic: () => number;
  readonly random: () => number;
  readonly tellRefusedUse: (use: RefusedUse) => void;
}

type RefusedCall = Extract<Called<never>, { readonly kind: 'refused' }>;

/** Sent for a computer without a name, because the service needs one. */
const NAMELESS = 'Unnamed computer';
/** Pools up to this size give their seats back when the app closes, see {@link PlatformOptions.release}. */
const SMALL_POOL = 10;
/**
 * A machine activates automatically at most once an hour, because all machines of a license share 15 activations an
 * hour.
 */
const ACTIVATION_PAUSE_MS = HOUR_MS;
/** An app that is restarted within this time keeps its seat. */
const RELEASE_PAUSE_MS = HOUR_MS / 6;

/** The trial that a user wants. */
export interface TrialOrder {
  /** The variant; by default the only one of the product that offers a trial. */
  readonly variant?: string;
  /** The e-mail address of the user, if the app knows it. */
  readonly email?: string;
}

export class Session {
  readonly #parts: SessionParts;
  readonly #record: LicenseRecord;
  readonly #renewal: FileRenewal;
  readonly #metering: Metering;
  /** By the monotonic clock. */
  #fullCheckDue = 0;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#record = parts.record;
    this.#renewal = new FileRenewal(parts);
    this.#metering = new Metering({
      ...parts,
      settle: (licenseKey, called) => this.#notGood(licenseKey, called),
      join: () => this.#ask(true),
      tellRefused: parts.tellRefusedUse,
    });
  }

  get #heartbeatMs(): number {
    return this.#parts.options.heartbeatMs ?? 5 * 60_000;
  }

  /** Milliseconds until the next check; null if there is nothing to check. */
  get untilCheckMs(): number | null {
    return this.#record.untilCheckMs(this.#heartbeatMs);
  }

  /** Checks the license. Errors of the service or the network do not throw. */
  async check(isAskedFor: boolean): Promise<void> {
    await this.#ask(isAskedFor);
    if (this.#record.outcome.kind === 'good') await this.#metering.send();
  }

  /** Counts units of a meter, or stores them. Throws {@link Refused} and {@link Unreachable}. */
  consume(use: Use): Promise<Consumption> {
    return this.#metering.consume(use);
  }

  async #ask(isAskedFor: boolean): Promise<void> {
    const record = this.#record;
    await record.load();
    const { licenseKey, token } = record.stored;
    if (licenseKey === null) return;
    if (token === null) return this.#join(licenseKey);
    const isGood = record.outcome.kind === 'good' && record.coversBuild;
    const isBeat = !isAskedFor && record.isFloating && isGood && !this.#isFullCheckDue;
    await (isBeat ? this.#beat(licenseKey, token) : this.#validate(licenseKey, token));
    await this.#renewal.renew();
  }

  get #isFullCheckDue(): boolean {
    return this.#parts.monotonic() >= this.#fullCheckDue;
  }

  #checkedFully(): void {
    this.#fullCheckDue = this.#parts.monotonic() + schedule.untilDailyCheck(this.#parts.random());
  }

  async #beat(licenseKey: string, token: string): Promise<void> {
    const record = this.#record;
    const { seat } = record.stored;
    // Another process of this app has renewed the shared seat.
    if (seat !== null && record.now - seat.beatAt < this.#beatIntervalMs(seat) / 2) return;
    const called = await this.#call('/heartbeat', { licenseKey, token });
    if (called.kind !== 'good') return this.#notGood(licenseKey, called);
    const facts = factsAfterHeartbeat(this.#factsBefore(licenseKey), called.reply);
    await record.accept({ facts }, called.serverTime, called.reply.sessionExpiresAt);
  }

  #beatIntervalMs(seat: { readonly until: number; readonly beatAt: number }): number {
    return Math.min(this.#heartbeatMs, (seat.until - seat.beatAt) / 3);
  }

  async #validate(licenseKey: string, token: string): Promise<void> {
    const called = await this.#call('/validate', { licenseKey, token, acceptsReplacement: true, ...this.#build });
    if (called.kind === 'refused' && called.refusal.code === 'license_replaced') return this.#refused(called);
    if (called.kind !== 'good') return this.#notGood(licenseKey, called);
    const { reply, serverTime } = called;
    this.#checkedFully();
    const { licenseKey: newKey, sessionToken } = reply;
    const isMoved = newKey !== undefined && sessionToken !== undefined;
    if (isMoved && !(await this.#moved(licenseKey, newKey, sessionToken))) return;
    const facts = factsAfterCheck(this.#factsBefore(newKey ?? licenseKey), reply);
    const newToken = isMoved ? sessionToken : (reply.newToken ?? token);
    await this.#record.accept({ token: newToken, facts }, serverTime, reply.sessionExpiresAt);
  }

  /** Stores the key that took the place of the stored one. Returns false if another process stored a third. */
  async #moved(from: string, licenseKey: string, token: string): Promise<boolean> {
    const facts = { ...this.#factsBefore(from), licenseKeyHint: hintOf(licenseKey) };
    await this.#record.keep({ licenseKey, token, facts });
    return this.#record.stored.licenseKey === licenseKey;
  }

  #factsBefore(licenseKey: string) {
    return this.#record.stored.facts ?? factsOfKey(licenseKey, this.#parts.options.productId);
  }

  /** The fields that name this build. */
  get #build(): Readonly<Record<string, string>> {
    const { buildDate, version } = this.#parts.options;
    return { ...(buildDate === undefined ? {} : { buildDate }), ...(version === undefined ? {} : { version }) };
  }

  #call<Endpoint extends '/validate' | '/heartbeat' | '/deactivate'>(
    endpoint: Endpoint,
    fields: { readonly licenseKey: string; readonly token: string; readonly acceptsReplacement?: true },
  ) {
    return call(this.#parts.line, endpoint, { ...fields, machineFingerprint: this.#record.fingerprint });
  }

  #callActivate(licenseKey: string): Promise<Called<ActivateReply>> {
    return call(this.#parts.line, '/activate', { licenseKey, ...this.#machine, ...this.#user });
  }

  /** The fields that name the machine, the product and the build. */
  get #machine() {
    const { productId, hostname: given } = this.#parts.options;
    const hostname = given.trim() === '' ? NAMELESS : given;
    return { machineFingerprint: this.#record.fingerprint, hostname, productId, ...this.#build };
  }

  /** The person who uses the app, if it is known. */
  get #user() {
    const { user: given } = this.#parts.options;
    const user = typeof given === 'function' ? given() : given;
    return user === undefined ? {} : { user };
  }

  /** Handles an answer to a check that is not good. */
  async #notGood(licenseKey: string, called: Exclude<Called<never>, { kind: 'good' }>): Promise<void> {
    if (called.kind === 'unreachable') return this.#record.miss(called);
    const { code } = called.refusal;
    const { token } = this.#record.stored;
    if (code === 'license_replaced' && token !== null) return this.#validate(licenseKey, token);
    if (code === 'machine_not_activated') return this.#rejoin(licenseKey, 'slot');
    if (code === 'invalid_token' || code === 'token_mismatch') return this.#rejoin(licenseKey, 'token');
    await this.#refused(called);
  }

  /** The machine has lost its slot, its seat or its token, so it activates again, within the limit. */
  async #rejoin(licenseKey: string, lost: 'slot' | 'token'): Promise<void> {
    const record = this.#record;
    const { activatedAt } = record.stored;
    const mayAsk = lost === 'token' || record.isFloating || this.#parts.options.reactivate !== 'ask';
    const isSoon = activatedAt !== null && Math.abs(record.now - activatedAt) < ACTIVATION_PAUSE_MS;
    if (mayAsk && !isSoon) return this.#join(licenseKey);
    if (lost === 'slot') {
      const isFull = !mayAsk || (await this.#isFull(licenseKey));
      if (isFull === null) return;
      if (isFull) return record.lose(record.isFloating ? 'waiting' : 'released');
      // Another process may have deactivated the license in the meantime.
      await record.load();
      if (record.stored.licenseKey !== licenseKey) return;
    }
    const detail = `the server does not know the ${lost} of this machine any more`;
    record.miss({ problem: { kind: 'token', detail } });
  }

  #verify(licenseKey: string): Promise<Called<VerifyReply>> {
    const { line, options } = this.#parts;
    return call(line, '/verify', { licenseKey, productId: options.productId });
  }

  /** True if every slot is taken; null if the answer has settled the state already. */
  async #isFull(licenseKey: string): Promise<boolean | null> {
    const known = await this.#verify(licenseKey);
    if (known.kind === 'good') {
      this.#record.learnTime(known.serverTime);
      const { machinesUsed, maxMachines } = known.reply;
      return maxMachines >= 0 && machinesUsed >= maxMachines;
    }
    if (known.kind === 'unreachable') this.#record.miss(known);
    else await this.#refused(known);
    return null;
  }

  /** Activates with the stored key, but only if that can succeed, because attempts are limited. */
  async #join(licenseKey: string): Promise<void> {
    const record = this.#record;
    if (record.stored.tombstone !== null || record.outcome.kind === 'waiting') {
      const isFull = await this.#isFull(licenseKey);
      if (isFull === null) return;
      if (record.outcome.kind === 'waiting' && isFull) return record.lose('waiting');
    }
    const called = await this.#callActivate(licenseKey);
    if (called.kind === 'good') return this.#activated(licenseKey, called.reply, called.serverTime);
    if (called.kind === 'unreachable') return record.miss(called);
    if (await record.keep({ activatedAt: record.now })) await this.#refused(called);
  }

  async #activated(licenseKey: string, reply: ActivateReply, serverTime: number | null): Promise<void> {
    const record = this.#record;
    this.#checkedFully();
    const now = serverTime ?? record.now;
    const facts = factsAfterActivation(this.#factsBefore(licenseKey), reply, now);
    const { token, sessionExpiresAt } = reply;
    await record.accept({ token, facts, activatedAt: now }, serverTime, sessionExpiresAt);
  }

  /** Handles a refusal of a license that was accepted on this machine before. */
  async #refused({ refusal, serverTime }: RefusedCall): Promise<void> {
    const record = this.#record;
    const { code, text, retryAfterMs } = refusal;
    if (code === 'license_expired' && this.#isExpiredByAWrongClock(serverTime))
      return record.miss({
        problem: { kind: 'clock', detail: 'by the clock of the server, which is ahead, the license has expired' },
      });
    record.learnTime(serverTime);
    switch (code) {
      case 'license_replaced':
      case 'license_revoked':
      case 'license_expired':
      case 'wrong_product':
        return record.refuse(code);
      case 'update_not_covered':
        if (await record.leaveUncovered(coverageIn(refusal.fields))) return;
        return record.miss({ problem: { kind: 'request', detail: text } });
      case 'machine_limit':
        return record.lose(record.isFloating ? 'waiting' : 'released');
      case 'user_limit':
        return record.lose('released');
      case 'license_not_found':
        // The license existed when it was activated. The server has lost it, as after restoring an old backup, and the
        // customer has paid.
        return record.miss({
          problem: { kind: 'license_not_found', detail: 'the server does not know the license any more' },
        });
      case 'activation_rate':
        return record.miss({ problem: { kind: 'busy', detail: text }, retryAfterMs });
      default:
        return record.miss({ problem: { kind: 'request', detail: text } });
    }
  }

  /**
   * Returns whether the license has expired only by the clock of the service, which is more than a day ahead of the
   * time known here. A user who sets the machine's clock back to get here gains no more than from an outage.
   */
  #isExpiredByAWrongClock(serverTime: number | null): boolean {
    const { now, stored } = this.#record;
    const expiresAt = stored.facts?.licenseExpiresAt;
    if (expiresAt == null || serverTime === null) return false;
    const expiry = Date.parse(expiresAt);
    return now < expiry && expiry <= serverTime && serverTime - now > DAY_MS;
  }

  /** The user entered a key, or wants a slot again. Throws {@link Refused} and {@link Unreachable}. */
  async activate(given: string | undefined): Promise<void> {
    const record = this.#record;
    await record.load();
    const licenseKey = given?.trim() || record.stored.licenseKey;
    if (licenseKey === null) throw new TypeError('there is no license key to activate');
    const isSame = licenseKey === record.stored.licenseKey;
    const called = await this.#callActivate(licenseKey);
    if (called.kind === 'unreachable') {
      if (isSame) record.miss(called);
      throw new Unreachable(called.problem);
    }
    if (called.kind === 'good') {
      if (!isSame) await this.#putKey(licenseKey);
      await this.#activated(licenseKey, called.reply, called.serverTime);
      await this.#renewal.renew();
      return void (await this.#metering.send());
    }
    const { refusal } = called;
    if (refusal.code === 'machine_limit' && (await this.#isFloating(licenseKey, refusal))) {
      if (!isSame) await this.#putKey(licenseKey);
      const facts = { ...this.#factsBefore(licenseKey), licenseType: 'floating' as const };
      if (await record.keep({ facts, tombstone: null })) await record.lose('waiting');
      return;
    }
    if (isSame && refusal.code === 'license_replaced') {
      await this.#notGood(licenseKey, called);
      if (record.stored.licenseKey !== licenseKey) return;
    } else if (isSame) await this.#refused(called);
    else record.learnTime(called.serverTime);
    throw new Refused(refusal);
  }

  /** The user wants a trial. Throws {@link Refused} and {@link Unreachable}. */
  async startTrial(order: TrialOrder): Promise<void> {
    const record = this.#record;
    await record.load();
    if (record.state.mayRun) return;
    const called = await call(this.#parts.line, '/startTrial', { ...this.#machine, ...this.#user, ...order });
    if (called.kind === 'unreachable') throw new Unreachable(called.problem);
    if (called.kind === 'refused') {
      record.learnTime(called.serverTime);
      throw new Refused(called.refusal);
    }
    const { licenseKey } = called.reply;
    if (licenseKey !== record.stored.licenseKey) await this.#putKey(licenseKey);
    await this.#activated(licenseKey, called.reply, called.serverTime);
    await this.#renewal.renew();
  }

  /** Replaces the license. A file that was imported for the new one stays. */
  async #putKey(licenseKey: string): Promise<void> {
    const { file, stored } = this.#record;
    const isOfKey = file !== null && isKeyOfFile(licenseKey, file);
    await this.#record.replace({
      ...EMPTY,
      licenseKey,
      file: isOfKey ? stored.file : null,
      keyLists: stored.keyLists,
    });
  }

  /** Whether a license without a free slot is a floating one. */
  async #isFloating(licenseKey: string, { fields }: Refusal): Promise<boolean> {
    if (typeof fields.licenseType === 'string') return fields.licenseType === 'floating';
    const { stored, isFloating } = this.#record;
    if (licenseKey === stored.licenseKey && stored.facts?.licenseType != null) return isFloating;
    const known = await this.#verify(licenseKey);
    return known.kind === 'good' && known.reply.licenseType === 'floating';
  }

  /** Frees the slot and forgets the license. Throws {@link Unreachable}; then nothing has changed. */
  async deactivate(): Promise<void> {
    const record = this.#record;
    await record.load();
    await this.#metering.send();
    const { licenseKey, token } = record.stored;
    if (licenseKey !== null && token !== null) {
      let called = await this.#call('/deactivate', { licenseKey, token });
      if (called.kind === 'refused' && called.refusal.code === 'license_replaced') {
        await this.#notGood(licenseKey, called);
        const { licenseKey: newKey, token: newToken } = record.stored;
        if (newKey !== null && newKey !== licenseKey && newToken !== null)
          called = await this.#call('/deactivate', { licenseKey: newKey, token: newToken });
      }
      if (called.kind === 'refused' && called.refusal.code === 'invalid_token') {
        // Only a token of the present activation frees the slot.
        const again = await this.#callActivate(licenseKey);
        if (again.kind === 'unreachable') throw new Unreachable(again.problem);
        if (again.kind === 'good') called = await this.#call('/deactivate', { licenseKey, token: again.reply.token });
      }
      if (called.kind === 'unreachable') throw new Unreachable(called.problem);
    }
    await record.replace(EMPTY);
  }

  /** Gives a floating seat back if others may need it, and keeps the license. Does not throw. */
  async giveSeatBack(): Promise<void> {
    const record = this.#record;
    await record.load();
    const { licenseKey, token, facts, activatedAt } = record.stored;
    const { release = 'small-pools' } = this.#parts.options;
    if (!record.isFloating || licenseKey === null || token === null || release === 'never') return;
    const seats = facts?.maxMachines ?? -1;
    const isSmall = seats >= 0 && seats <= SMALL_POOL;
    const isFresh = activatedAt !== null && record.now - activatedAt < RELEASE_PAUSE_MS;
    if (release === 'small-pools' && (!isSmall || isFresh)) return;
    const called = await this.#call('/deactivate', { licenseKey, token });
    if (called.kind === 'good') await record.keep({ token: null, seat: null });
  }

  /** Imports a license file. Throws {@link BadLicenseFile}. */
  async importFile(text: string): Promise<void> {
    const record = this.#record;
    await record.load();
    const claims = await record.verify(text, record.now);
    const { stored } = record;
    if (stored.tombstone !== null && claims.iat * 1000 <= stored.tombstone.at)
      throw new BadLicenseFile('refused', 'the license was refused after this file was made');
    const isOfKey = stored.licenseKey !== null && isKeyOfFile(stored.licenseKey, claims);
    const kept = isOfKey ? stored : { ...EMPTY, keyLists: stored.keyLists };
    await record.replace({ ...kept, file: text, facts: factsOfFile(claims, record.now), tombstone: null });
  }
}
