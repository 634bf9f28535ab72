/** Checks of the license, and the consequences of their answers. Callers must run one call at a time. */
import { type Called, isOfReplacedKey } from './calls.ts';
import type { ActivateReply } from './contract.ts';
import { DAY_MS, HOUR_MS } from './decide.ts';
import { coverageIn, factsAfterActivation, factsAfterCheck, factsAfterHeartbeat, hintOf } from './facts.ts';
import type { FileRenewal } from './file-renewal.ts';
import type { LicenseRecord } from './license-record.ts';
import type { MachineCalls } from './machine-calls.ts';
import type { PlatformOptions } from './options.ts';
import * as schedule from './schedule.ts';

export interface CheckParts {
  readonly options: PlatformOptions;
  readonly record: LicenseRecord;
  readonly calls: MachineCalls;
  readonly renewal: FileRenewal;
  readonly monotonic: () => number;
  readonly random: () => number;
}

type RefusedCall = Extract<Called<never>, { readonly kind: 'refused' }>;

/**
 * A machine activates automatically at most once an hour, because all machines of a license share 15 activations an
 * hour.
 */
const ACTIVATION_PAUSE_MS = HOUR_MS;

export class Checks {
  readonly #parts: CheckParts;
  readonly #record: LicenseRecord;
  /** By the monotonic clock. */
  #fullCheckDue = 0;

  constructor(parts: CheckParts) {
    this.#parts = parts;
    this.#record = parts.record;
  }

  get #heartbeatMs(): number {
    return this.#parts.options.heartbeatMs ?? 5 * 60_000;
  }

  /** Milliseconds until the next check; null if there is nothing to check. */
  get untilCheckMs(): number | null {
    return this.#record.untilCheckMs(this.#heartbeatMs);
  }

  /** Asks the service about the license. Errors of the service or the network do not throw. */
  async ask(isAskedFor: boolean): Promise<void> {
    const record = this.#record;
    await record.load();
    const { licenseKey, token } = record.stored;
    if (licenseKey === null) return;
    if (token === null) return this.#join(licenseKey);
    const isGood = record.outcome.kind === 'good' && record.coversBuild;
    const isBeat = !isAskedFor && record.isFloating && isGood && !this.#isFullCheckDue;
    await (isBeat ? this.#beat(licenseKey, token) : this.#validate(licenseKey, token));
    await this.#parts.renewal.renew();
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
    const called = await this.#parts.calls.send('/heartbeat', licenseKey, token);
    if (called.kind !== 'good') return this.settle(licenseKey, called);
    const facts = factsAfterHeartbeat(this.#record.factsBefore(licenseKey), called.reply);
    await record.accept({ facts }, called.serverTime, called.reply.sessionExpiresAt);
  }

  #beatIntervalMs(seat: { readonly until: number; readonly beatAt: number }): number {
    return Math.min(this.#heartbeatMs, (seat.until - seat.beatAt) / 3);
  }

  async #validate(licenseKey: string, token: string): Promise<void> {
    const called = await this.#parts.calls.validate(licenseKey, token);
    if (isOfReplacedKey(called)) return this.refused(called);
    if (called.kind !== 'good') return this.settle(licenseKey, called);
    const { reply, serverTime } = called;
    this.#checkedFully();
    const { licenseKey: newKey, sessionToken } = reply;
    const isMoved = newKey !== undefined && sessionToken !== undefined;
    if (isMoved && !(await this.#moved(licenseKey, newKey, sessionToken))) return;
    const facts = factsAfterCheck(this.#record.factsBefore(licenseKey), reply);
    const newToken = isMoved ? sessionToken : (reply.newToken ?? token);
    await this.#record.accept({ token: newToken, facts }, serverTime, reply.sessionExpiresAt);
  }

  /** Stores the key that took the place of the stored one. Returns false if another process stored a third. */
  async #moved(from: string, licenseKey: string, token: string): Promise<boolean> {
    const facts = { ...this.#record.factsBefore(from), licenseKeyHint: hintOf(licenseKey) };
    await this.#record.keep({ licenseKey, token, facts });
    return this.#record.stored.licenseKey === licenseKey;
  }

  /** Handles an answer that is not good, and that is about the license, the machine or its token. */
  async settle(licenseKey: string, called: Exclude<Called<never>, { kind: 'good' }>): Promise<void> {
    if (called.kind === 'unreachable') return this.#record.miss(called);
    const { code } = called.refusal;
    const { token } = this.#record.stored;
    if (isOfReplacedKey(called) && token !== null) return this.#validate(licenseKey, token);
    if (code === 'machine_not_activated') return this.#rejoin(licenseKey, 'slot');
    if (code === 'invalid_token' || code === 'token_mismatch') return this.#rejoin(licenseKey, 'token');
    await this.refused(called);
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

  /** True if every slot is taken; null if the answer has settled the state already. */
  async #isFull(licenseKey: string): Promise<boolean | null> {
    const known = await this.#parts.calls.verify(licenseKey);
    if (known.kind === 'good') {
      this.#record.learnTime(known.serverTime);
      const { machinesUsed, maxMachines } = known.reply;
      return maxMachines >= 0 && machinesUsed >= maxMachines;
    }
    if (known.kind === 'unreachable') this.#record.miss(known);
    else await this.refused(known);
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
    const called = await this.#parts.calls.activate(licenseKey);
    if (called.kind === 'good') return this.activated(licenseKey, called.reply, called.serverTime);
    if (called.kind === 'unreachable') return record.miss(called);
    if (await record.keep({ activatedAt: record.now })) await this.refused(called);
  }

  /** Takes over a good answer of /activate or /startTrial. */
  async activated(licenseKey: string, reply: ActivateReply, serverTime: number | null): Promise<void> {
    const record = this.#record;
    this.#checkedFully();
    const now = serverTime ?? record.now;
    const facts = factsAfterActivation(this.#record.factsBefore(licenseKey), reply, now);
    const { token, sessionExpiresAt } = reply;
    await record.accept({ token, facts, activatedAt: now }, serverTime, sessionExpiresAt);
  }

  /** Handles a refusal of a license that was accepted on this machine before. */
  async refused({ refusal, serverTime }: RefusedCall): Promise<void> {
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
}
