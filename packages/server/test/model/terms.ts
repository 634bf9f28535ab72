/** The terms of a license as rules 14 describe them, in the memory of the model: features, grace, updates, meters. */

import type { UserTerms } from './seats.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type FeatureValue = boolean | number;

/** A feature of a license itself; null takes that of the variant away. Times are milliseconds. */
type OwnFeature = FeatureValue | null | { readonly value: FeatureValue; readonly until: number };

/** A meter of a variant. */
interface Meter {
  readonly limit: number;
  readonly period: 'none' | 'month' | 'term';
  readonly overage?: 'count';
}

/** The variant with terms that the histories sell. */
export const VARIANT = {
  features: { base: true, layers: 3, cloud: false } as Readonly<Record<string, FeatureValue>>,
  meters: {
    exports: { limit: 5, period: 'month' },
    renders: { limit: 4, period: 'term' },
    saves: { limit: 3, period: 'none', overage: 'count' },
  } as Readonly<Record<string, Meter>>,
};

/** These terms on a new license. Times are milliseconds. */
export interface OwnTerms extends UserTerms {
  graceDays: number;
  updatesUntil: number | null;
  releaseIdleDays: number | null;
  features: Readonly<Record<string, OwnFeature>> | null;
}

/** The terms of a license, and the usage of its meters. */
export interface Terms extends OwnTerms {
  /** Whether the license is of {@link VARIANT}. */
  readonly isOfVariant: boolean;
  /** The units used in each period, by `meter period`; a term keeps its use, because nothing here renews. */
  used: Record<string, number>;
  /** Counted requests by their ids. */
  requests: Record<string, { readonly meter: string; readonly units: number; readonly at: number; reply: Usage }>;
}

/** The parts of an app's request beside its session. */
export interface AskedTerms {
  /** The date of the build, in milliseconds. */
  readonly builtAt?: number | undefined;
  readonly features?: readonly string[] | undefined;
}

interface Usage {
  readonly used: number;
  readonly limit: number;
  readonly resetsAt: string | null;
}

/** A use of a meter. */
export interface Use {
  readonly meter: string;
  readonly units: number;
  readonly requestId: string;
}

const iso = (at: number) => new Date(at).toISOString();

/** The features of a license by name; undefined without any. */
export function featuresOf({ features, isOfVariant }: Terms, now: number) {
  const all: Record<string, FeatureValue> = isOfVariant ? { ...VARIANT.features } : {};
  for (const [name, own] of Object.entries(features ?? {})) {
    if (own === null) delete all[name];
    else if (typeof own !== 'object') all[name] = own;
    else if (own.until > now) all[name] = own.value;
  }
  return Object.keys(all).length === 0 ? undefined : all;
}

/** The end of a license with its grace. */
export function endOf({ graceDays }: Terms, expiresAt: number | null): number | null {
  return expiresAt === null ? null : expiresAt + graceDays * DAY_MS;
}

/** The terms that the replies of client endpoints have; undefined where they have none. */
export function termsReply(terms: Terms, expiresAt: number | null, now: number) {
  const isInGrace = expiresAt !== null && terms.graceDays > 0 && expiresAt <= now;
  return {
    features: featuresOf(terms, now),
    graceUntil: isInGrace ? iso(endOf(terms, expiresAt)!) : undefined,
    updatesUntil: terms.updatesUntil === null ? undefined : iso(terms.updatesUntil),
  };
}

/** The refusal for a build or features; null without one. */
export function refusalForTerms(terms: Terms, { builtAt, features }: AskedTerms, now: number) {
  const { updatesUntil } = terms;
  if (builtAt !== undefined && updatesUntil !== null && builtAt > updatesUntil)
    return { error: 'License does not cover this version', updatesUntil: iso(updatesUntil), maxVersion: null };
  const present = featuresOf(terms, now) ?? {};
  const missing = (features ?? []).filter((name) => !present[name]);
  return missing.length === 0 ? null : { error: 'License does not include this feature', missing };
}

/** Counts a use. @returns the reply, or the status and body of a refusal */
export function countUse(
  terms: Terms,
  { meter: name, units, requestId }: Use,
  expiresAt: number | null,
  now: number,
): { readonly status: number; readonly code?: string; readonly body: Readonly<Record<string, unknown>> } {
  const meter = terms.isOfVariant ? VARIANT.meters[name] : undefined;
  if (meter === undefined) return { status: 404, code: 'meter_not_found', body: { error: 'Meter not found' } };
  const month = iso(now).slice(0, 7);
  const [year = 0, number = 0] = month.split('-').map(Number);
  const resetsAt = {
    none: null,
    month: iso(Date.UTC(year, number, 1)),
    term: expiresAt === null ? null : iso(expiresAt),
  }[meter.period];
  const period = meter.period === 'month' ? `${name} ${month}` : name;
  const used = terms.used[period] ?? 0;
  const { limit } = meter;
  const counted = (usage: Usage) => ({
    status: 200,
    body: { success: true, meter: name, ...usage, remaining: Math.max(0, usage.limit - usage.used) },
  });
  if (units === 0) return counted({ used, limit, resetsAt });
  const known = terms.requests[requestId];
  if (known !== undefined && known.at + 48 * HOUR_MS > now) {
    if (known.meter === name && known.units === units) return counted(known.reply);
    return { status: 422, code: 'request_id_reused', body: { error: 'requestId was used for other units' } };
  }
  if (used + units > limit && meter.overage === undefined)
    return { status: 403, code: 'meter_limit', body: { error: 'Usage limit reached', used, limit, resetsAt } };
  terms.used[period] = used + units;
  const reply = { used: used + units, limit, resetsAt };
  terms.requests[requestId] = { meter: name, units, at: now, reply };
  return counted(reply);
}
