/**
 * The state between starts: one JSON text, which the clients of all languages share (docs/apps/client-behaviour.md,
 * section 2). Nothing in it is trusted without a check, because anything may have changed it.
 */
import type { RefusalCode } from './refusals.ts';
import type { FeatureValue, LicenseFacts } from './state.ts';
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
  /** Uses of meters that the service has not answered, the oldest first; absent without any. */
  readonly uses?: readonly StoredUse[] | undefined;
}

/** A use of a meter that waits for an answer. */
export interface StoredUse {
  readonly meter: string;
  readonly units: number;
  /** The service counts an id once. */
  readonly requestId: string;
  readonly at: number;
}

/** The most uses in a state. */
export const MOST_USES = 500;

/** Maximum length of a text that is parsed. */
const MAX_TEXT = 262_144;

/** The last moment of a Date. */
const LAST_DATE_MS = 8.64e15;

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

/** Facts without a license. */
export const NO_FACTS: LicenseFacts = {
  licenseKeyHint: '',
  productId: '',
  variant: null,
  licenseType: null,
  licenseExpiresAt: null,
  daysRemaining: null,
  machinesUsed: null,
  maxMachines: null,
  graceUntil: null,
  updatesUntil: null,
  maxVersion: null,
  features: null,
};

/** The text of a state, with its fields in one order: equal states have equal texts, which processes compare. */
export function writeState(state: StoredState): string {
  const { facts } = state;
  const uses = state.uses?.length ? state.uses : undefined;
  return JSON.stringify({ ...EMPTY, ...state, uses, facts: facts === null ? null : { ...NO_FACTS, ...facts } });
}

/** Parses the text of a state; null if it is not one, as after a disk failure. */
export function readState(text: string): StoredState | null {
  let fields: Partial<Record<keyof StoredState, unknown>>;
  if (text.length > MAX_TEXT) return null;
  try {
    fields = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof fields !== 'object' || fields === null || fields.v !== 1) return null;
  const { licenseKey, token, facts, file, keyLists, lastGoodAt, tombstone, seat, activatedAt, times, uses } = fields;
  const isSound =
    [licenseKey, token, file].every(isTextOrNull) &&
    [lastGoodAt, activatedAt].every(isTimeOrNull) &&
    Array.isArray(keyLists) &&
    keyLists.every((list) => typeof list === 'string') &&
    (facts === null || areFacts(facts)) &&
    hasOrNull(tombstone, { code: isText, at: isTime }) &&
    hasOrNull(seat, { until: isTime, beatAt: isTime }) &&
    (uses === undefined || areUses(uses)) &&
    isObject(times) &&
    [times.trusted, times.confirmed, times.seen].every((moment) => hasOrNull(moment, { time: isTime, local: isTime }));
  return isSound
    ? ({ ...fields, facts: facts === null ? null : completed(facts as StoredFacts) } as StoredState)
    : null;
}

/** Facts as they are stored: earlier clients do not store the later ones. */
type StoredFacts = Partial<LicenseFacts>;

function completed(facts: StoredFacts): LicenseFacts {
  return { ...NO_FACTS, ...facts };
}

type Test = (value: unknown) => boolean;

/** Whether a value has the declared fields of a shown license: an unexpected type would crash an app that reads it. */
function areFacts(value: unknown): boolean {
  return hasOrNull(value, {
    licenseKeyHint: isText,
    productId: isText,
    variant: isTextOrNull,
    licenseType: isTextOrNull,
    licenseExpiresAt: isTimestampOrNull,
    daysRemaining: isNumberOrNull,
    machinesUsed: isNumberOrNull,
    maxMachines: isNumberOrNull,
    graceUntil: orAbsent(isTimestampOrNull),
    updatesUntil: orAbsent(isTimestampOrNull),
    maxVersion: orAbsent(isTextOrNull),
    features: orAbsent((features) => features === null || areFeatures(features)),
  });
}

const orAbsent =
  (test: Test): Test =>
  (value) =>
    value === undefined || test(value);

/** Whether a value is a feature: a right, a number or a text. */
export function isFeature(value: unknown): value is FeatureValue {
  return typeof value === 'boolean' || typeof value === 'string' || Number.isFinite(value);
}

function areFeatures(value: unknown): boolean {
  return isObject(value) && !Array.isArray(value) && Object.values(value).every(isFeature);
}

function areUses(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length <= MOST_USES &&
    value.every(
      (use) => hasOrNull(use, { meter: isText, units: isCount, requestId: isText, at: isTime }) && use !== null,
    )
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isTimestampOrNull(value: unknown): boolean {
  return value === null || (isText(value) && isTime(Date.parse(value as string)));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value);
}

function isNumberOrNull(value: unknown): boolean {
  return value === null || Number.isFinite(value);
}

/** Whether a value is a moment that a date can show, in milliseconds since 1970. */
function isTime(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= LAST_DATE_MS;
}

function isTimeOrNull(value: unknown): boolean {
  return value === null || isTime(value);
}

/** Whether a value is null, or has fields that pass these tests. */
function hasOrNull(value: unknown, fields: Readonly<Record<string, Test>>): value is Moment | null {
  if (value === null) return true;
  return isObject(value) && Object.entries(fields).every(([name, test]) => test(value[name]));
}

/** The newest moment in a state, apart from its `times`; null if it has none. In milliseconds since 1970. */
export function latestIn({ lastGoodAt, tombstone, seat, activatedAt }: StoredState): number | null {
  const moments = [lastGoodAt, tombstone?.at, seat?.beatAt, activatedAt].filter((at) => at != null);
  return moments.length === 0 ? null : Math.max(...moments);
}

/**
 * Whether a state has a license but no times. The client never writes such a state: somebody removed the times, so that
 * only the machine's clock would count.
 */
export function lacksTimes({ licenseKey, file, times }: StoredState): boolean {
  const { trusted, confirmed, seen } = times;
  return (licenseKey !== null || file !== null) && trusted === null && confirmed === null && seen === null;
}
