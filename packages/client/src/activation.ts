/** The functions of the app that change which license this machine has. Callers must run one call at a time. */
import { isOfReplacedKey, prevented } from './calls.ts';
import type { Checks } from './checks.ts';
import { HOUR_MS } from './decide.ts';
import { Refused, Unreachable } from './errors.ts';
import { factsOfFile, isKeyOfFile } from './facts.ts';
import type { FileRenewal } from './file-renewal.ts';
import { BadLicenseFile } from './license-file.ts';
import type { LicenseRecord } from './license-record.ts';
import type { MachineCalls, TrialOrder } from './machine-calls.ts';
import type { Metering } from './metering.ts';
import type { PlatformOptions } from './options.ts';
import type { Refusal } from './refusals.ts';
import { EMPTY } from './stored-state.ts';

export interface ActivationParts {
  readonly options: PlatformOptions;
  readonly record: LicenseRecord;
  readonly calls: MachineCalls;
  readonly checks: Checks;
  readonly renewal: FileRenewal;
  readonly metering: Metering;
}

/** Pools up to this size give their seats back when the app closes, see {@link PlatformOptions.release}. */
const SMALL_POOL = 10;
/** An app that is restarted within this time keeps its seat. */
const RELEASE_PAUSE_MS = HOUR_MS / 6;

export class Activation {
  readonly #parts: ActivationParts;
  readonly #record: LicenseRecord;

  constructor(parts: ActivationParts) {
    this.#parts = parts;
    this.#record = parts.record;
  }

  /** The user entered a key, or wants a slot again. Throws {@link Refused} and {@link Unreachable}. */
  async activate(given: string | undefined): Promise<void> {
    const record = this.#record;
    await record.load();
    const licenseKey = given?.trim() || record.stored.licenseKey;
    if (licenseKey === null) throw new TypeError('there is no license key to activate');
    const isSame = licenseKey === record.stored.licenseKey;
    const called = await this.#parts.calls.activate(licenseKey);
    if (called.kind === 'unreachable') {
      if (isSame) record.miss(called);
      throw new Unreachable(called.problem);
    }
    if (called.kind === 'good') {
      if (!isSame) await this.#putKey(licenseKey);
      await this.#parts.checks.activated(licenseKey, called.reply, called.serverTime);
      return this.#completeEntry();
    }
    const { refusal } = called;
    if (refusal.code === 'machine_limit' && (await this.#isFloating(licenseKey, refusal))) {
      if (!isSame) await this.#putKey(licenseKey);
      const facts = { ...record.factsBefore(licenseKey), licenseType: 'floating' as const };
      if (await record.keep({ facts, tombstone: null })) await record.lose('waiting');
      return;
    }
    if (isSame && isOfReplacedKey(called)) {
      await this.#parts.checks.settle(licenseKey, called);
      if (record.stored.licenseKey !== licenseKey) return this.#completeEntry();
      if (record.problem !== null) throw new Unreachable(record.problem);
    } else if (isSame) await this.#parts.checks.refused(called);
    else record.learnTime(called.serverTime);
    throw new Refused(refusal);
  }

  /** Fetches the file and sends the stored uses of the license whose key the user entered. */
  async #completeEntry(): Promise<void> {
    await this.#parts.renewal.renew();
    await this.#parts.metering.send();
  }

  /** The user wants a trial. Throws {@link Refused} and {@link Unreachable}. */
  async startTrial(order: TrialOrder): Promise<void> {
    const record = this.#record;
    await record.load();
    if (record.state.mayRun) return;
    const called = await this.#parts.calls.startTrial(order);
    if (called.kind === 'unreachable') throw new Unreachable(called.problem);
    if (called.kind === 'refused') {
      record.learnTime(called.serverTime);
      throw new Refused(called.refusal);
    }
    const { licenseKey } = called.reply;
    if (licenseKey !== record.stored.licenseKey) await this.#putKey(licenseKey);
    await this.#parts.checks.activated(licenseKey, called.reply, called.serverTime);
    await this.#parts.renewal.renew();
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
    const known = await this.#parts.calls.verify(licenseKey);
    return known.kind === 'good' && known.reply.licenseType === 'floating';
  }

  /** Frees the slot and forgets the license. Throws {@link Unreachable}; then nothing has changed. */
  async deactivate(): Promise<void> {
    const record = this.#record;
    await record.load();
    await this.#parts.metering.send();
    const { licenseKey, token } = record.stored;
    if (licenseKey !== null && token !== null) {
      let called = await this.#callDeactivate(licenseKey, token);
      const ownKey = record.stored.licenseKey;
      if (called.kind === 'refused' && called.refusal.code === 'invalid_token' && ownKey !== null) {
        // Only a token of the present activation frees the slot.
        const again = await this.#parts.calls.activate(ownKey);
        if (again.kind === 'unreachable') throw new Unreachable(again.problem);
        if (again.kind === 'good') called = await this.#parts.calls.send('/deactivate', ownKey, again.reply.token);
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
    const called = await this.#callDeactivate(licenseKey, token);
    if (called.kind === 'good') await record.keep({ token: null, seat: null });
  }

  /** Frees the slot or the seat; if the key was replaced, with the one that took its place. */
  async #callDeactivate(licenseKey: string, token: string) {
    const called = await this.#parts.calls.send('/deactivate', licenseKey, token);
    if (!isOfReplacedKey(called)) return called;
    await this.#parts.checks.settle(licenseKey, called);
    const { problem, stored } = this.#record;
    if (problem !== null) return prevented(problem);
    const { licenseKey: newKey, token: newToken } = stored;
    if (newKey === null || newKey === licenseKey || newToken === null) return called;
    return this.#parts.calls.send('/deactivate', newKey, newToken);
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
