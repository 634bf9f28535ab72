/**
 * Uses of meters: the service counts them, and those without an answer wait in the stored state until it does. Callers
 * must run one call at a time.
 */
import { type Called, isOfReplacedKey, prevented } from './calls.ts';
import type { Checks } from './checks.ts';
import type { ConsumeReply } from './contract.ts';
import { Refused, Unreachable } from './errors.ts';
import { base64urlOf } from './license-file.ts';
import type { LicenseRecord } from './license-record.ts';
import type { MachineCalls } from './machine-calls.ts';
import type { CommonOptions } from './options.ts';
import type { RefusalCode } from './refusals.ts';
import type { Consumption, RefusedUse } from './state.ts';
import type { StoredUse } from './stored-state.ts';

/** The parts of metering. */
export interface MeteringParts {
  readonly options: CommonOptions;
  readonly record: LicenseRecord;
  readonly calls: MachineCalls;
  readonly checks: Checks;
  /** Tells the app of a stored use that the service refused. */
  readonly tellRefusedUse: (use: RefusedUse) => void;
}

type NotGood = Exclude<Called<never>, { readonly kind: 'good' }>;

/** A use as the app asks for it. */
export type Use = Omit<StoredUse, 'requestId' | 'at'> & { readonly requestId?: string | undefined };

/** The most units of one use. */
const MOST_UNITS = 1_000_000_000;

/** The refusals of a use alone; any other one is about the license, the machine or its token. */
const OF_USES: ReadonlySet<RefusalCode> = new Set([
  'meter_limit',
  'meter_not_found',
  'request_id_reused',
  'missing_fields',
  'invalid_field',
]);

export class Metering {
  readonly #parts: MeteringParts;
  readonly #record: LicenseRecord;

  constructor(parts: MeteringParts) {
    this.#parts = parts;
    this.#record = parts.record;
  }

  /** Counts a use, or stores it. Throws {@link Refused} and {@link Unreachable}; then nothing was counted or stored. */
  async consume({ requestId = newRequestId(), ...use }: Use): Promise<Consumption> {
    if (!Number.isSafeInteger(use.units) || use.units < 0 || use.units > MOST_UNITS)
      throw new RangeError(`units must be a whole number from 0 to ${MOST_UNITS}`);
    const record = this.#record;
    await record.load();
    if (record.stored.licenseKey === null) throw new TypeError('there is no license key to count units of');
    const whole = { ...use, requestId };
    // A use that has no answer may have been counted. Later ones wait behind it, so that only one is ever in doubt.
    const called = (await this.send()) ?? (await this.#call(whole));
    if (called.kind === 'good') return countedIn(called.reply);
    if (called.kind === 'refused') throw new Refused(called.refusal);
    if (use.units > 0 && (await this.#store(whole))) return { status: 'queued', ...whole };
    throw new Unreachable(called.problem);
  }

  /** Sends the stored uses in their order. Returns the answer that says nothing about a use; null once none is left. */
  async send(): Promise<NotGood | null> {
    const record = this.#record;
    for (let [use] = record.uses; use !== undefined; [use] = record.uses) {
      const { requestId, meter, units } = use;
      const called = await this.#call(use);
      if (called.kind !== 'good') {
        if (!isAboutUse(called)) return called;
        this.#parts.tellRefusedUse({ meter, units, requestId, code: called.refusal.code });
      }
      await record.keep(({ uses = [] }) => ({ uses: uses.filter((each) => each.requestId !== requestId) }));
    }
    return null;
  }

  /** Stores a use, if the app allows it and there is room. */
  async #store(use: Omit<StoredUse, 'at'>): Promise<boolean> {
    const record = this.#record;
    const { offlineUses = 0 } = this.#parts.options;
    const isStored = () => record.uses.some(({ requestId }) => requestId === use.requestId);
    if (!record.state.mayRun || (record.uses.length >= offlineUses && !isStored())) return false;
    const stored = { ...use, at: record.now };
    // Another process may have stored uses since, and taken the last room; the same use is stored once.
    const isKept = await record.keep(({ uses = [] }) =>
      uses.length >= offlineUses || uses.some(({ requestId }) => requestId === use.requestId)
        ? {}
        : { uses: [...uses, stored] },
    );
    return isKept && isStored();
  }

  /** Calls the service, a second time if the machine got another token meanwhile. */
  async #call(use: Omit<StoredUse, 'at'>): Promise<Called<ConsumeReply>> {
    const record = this.#record;
    if (record.stored.token === null) await this.#parts.checks.ask(true);
    const first = await this.#callOnce(use);
    if (first.kind === 'good' || isAboutUse(first)) return first;
    const { licenseKey, token } = record.stored;
    if (licenseKey === null || token === null) return first;
    await this.#parts.checks.settle(licenseKey, first);
    if (isOfReplacedKey(first) && record.problem !== null) return prevented(record.problem);
    // The key that took the place of the sent one counts the same use once.
    const isSame = isOfReplacedKey(first) || record.stored.licenseKey === licenseKey;
    const isNew = isSame && record.stored.token !== token;
    return isNew && record.stored.token !== null ? this.#callOnce(use) : first;
  }

  async #callOnce({ meter, units, requestId }: Omit<StoredUse, 'at'>): Promise<Called<ConsumeReply>> {
    const { licenseKey, token } = this.#record.stored;
    if (licenseKey === null || token === null) return this.#withoutToken();
    // Asking counts nothing, and needs no id.
    const id = units === 0 ? {} : { requestId };
    const called = await this.#parts.calls.send('/consume', licenseKey, token, { meter, units, ...id });
    if (called.kind === 'good' || isAboutUse(called)) this.#record.learnTime(called.serverTime);
    return called;
  }

  /** The answer for a machine that could not join. */
  #withoutToken(): NotGood {
    const { problem } = this.#record;
    if (problem !== null) return prevented(problem);
    const refusal = { code: 'machine_not_activated', text: 'Machine not activated', fields: {} } as const;
    return { kind: 'refused', refusal, serverTime: null };
  }
}

function isAboutUse(called: Called<unknown>): called is Extract<NotGood, { readonly kind: 'refused' }> {
  return called.kind === 'refused' && OF_USES.has(called.refusal.code);
}

function countedIn({ meter, used, limit, remaining, resetsAt }: ConsumeReply): Consumption {
  return { status: 'counted', meter, used, limit, remaining, resetsAt };
}

function newRequestId(): string {
  return base64urlOf(crypto.getRandomValues(new Uint8Array(16)));
}
