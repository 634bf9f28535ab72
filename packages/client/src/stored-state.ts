/**
 * The state between starts: one JSON text of less than 16 KiB. Nothing in it is trusted without a check, because
 * anything may have changed it.
 */
import type { RefusalCode } from './refusals.ts';
import type { LicenseFacts } from './state.ts';
import { type KnownTimes, type Moment, NO_TIMES } from './trusted-clock.ts';

/** Times are milliseconds since 1970, by the trusted clock. */
export interface StoredState {
  readonly v: 1;
  readonly licenseKey: string | null;
  readonly token: string | null;
  readonly facts: LicenseFacts | null;
  /** A license file that was genuine when it was stored. It is verified at each start. */
  readonly file: string | null;
  /** Signed lists of signing keys. */
  readonly keyLists: readonly string[];
  /** The time at which the server last accepted the license. */
  readonly lastGoodAt: number | null;
  /** A refusal, which stays in force without a connection. */
  readonly tombstone: { readonly code: RefusalCode; readonly at: number } | null;
  /** Floating: the end of the lease without another heartbeat, and the time of the last one. */
  readonly seat: { readonly until: number; readonly beatAt: number } | null;
  /** The time of this machine's last automatic call of /activate. */
  readonly activatedAt: number | null;
  readonly times: KnownTimes;
}

export const EMPTY: StoredState = {
  v: 1,
  licenseKey: null,
  token: null,
  facts: null,
  file: null,
  keyLists: [],
  lastGoodAt: null,
  tombstone: null,
  seat: null,
  activatedAt: null,
  times: NO_TIMES,
};

/** The text of a state. */
export function writeState(state: StoredState): string {
  return JSON.stringify(state);
}

/** Parses the text of a state; null if it is not one, as after a disk failure. */
export function readState(text: string): StoredState | null {
  let fields: Partial<Record<keyof StoredState, unknown>>;
  try {
    fields = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof fields !== 'object' || fields === null || fields.v !== 1) return null;
  const { licenseKey, token, facts, file, keyLists, lastGoodAt, tombstone, seat, activatedAt, times } = fields;
  const isSound =
    [licenseKey, token, file].every(isTextOrNull) &&
    [lastGoodAt, activatedAt].every(isTimeOrNull) &&
    Array.isArray(keyLists) &&
    keyLists.every((list) => typeof list === 'string') &&
    hasOrNull(facts, { licenseKeyHint: 'string', productId: 'string' }) &&
    hasOrNull(tombstone, { code: 'string', at: 'number' }) &&
    hasOrNull(seat, { until: 'number', beatAt: 'number' }) &&
    isObject(times) &&
    [times.trusted, times.confirmed, times.seen].every((moment) =>
      hasOrNull(moment, { time: 'number', local: 'number' }),
    );
  return isSound ? (fields as StoredState) : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

function isTimeOrNull(value: unknown): boolean {
  return value === null || Number.isFinite(value);
}

/** Whether a value is null, or an object with fields of these types. */
function hasOrNull(value: unknown, fields: Readonly<Record<string, 'string' | 'number'>>): value is Moment | null {
  if (value === null) return true;
  return isObject(value) && Object.entries(fields).every(([name, type]) => typeof value[name] === type);
}
