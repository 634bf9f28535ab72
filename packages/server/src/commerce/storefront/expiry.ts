/** Pure rules for the end of a bought or renewed license (rules 6.2, 6.4). */
import { fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import type { LicenseDecision } from '../../licensing/licenses/change.ts';
import { endsAt, type License } from '../../licensing/licenses/license.ts';
import { type Duration, durationOf, durationOfVariant, timeAfter } from '../../licensing/products/duration.ts';
import type { Variant } from '../../licensing/products/variant.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { StorefrontEvent } from './event.ts';

/** The part of an event that says how long a license lasts. */
type StatedEnd = Pick<StorefrontEvent, 'expiresAt' | 'durationDays' | 'durationMonths'>;

/** The known lengths of a purchase. */
export interface PurchasedPeriod {
  readonly event: StatedEnd & Pick<StorefrontEvent, 'trialDays'>;
  /** Trial days of the discount code redeemed with the purchase. */
  readonly codeTrialDays: number | undefined;
  /** The variant of the catalogue. */
  readonly variant: Variant | undefined;
}

/** The expiry of a new license: the shop's own end, else the first known length; null (perpetual) without any. */
export function purchasedExpiry({ event, codeTrialDays, variant }: PurchasedPeriod, now: number): string | null {
  if (event.expiresAt !== undefined) return event.expiresAt;
  const duration =
    durationOf(event) ?? durationOf({ durationDays: event.trialDays ?? codeTrialDays }) ?? durationOfVariant(variant);
  return duration === null ? null : timeAfter(now, duration);
}

/**
 * Renews a license: to the shop's own end, which never shortens it, else by a length of the event or the variant. A
 * perpetual license stays perpetual; if its updates end, they are renewed instead.
 */
export function renewalOf(
  license: License,
  event: StatedEnd & Pick<StorefrontEvent, 'updatesDays'>,
  variant: Variant | undefined,
  now: number,
): LicenseDecision | Refusal<'duration_missing'> {
  const type = 'license.renewed';
  const stated = durationOf(event) ?? durationOfVariant(variant);
  const { expiresAt, updatesUntil } = license;
  if (expiresAt === null) {
    if (updatesUntil === null) return { type };
    const days = event.updatesDays ?? variant?.terms.updatesDays ?? null;
    const duration = durationOf(event) ?? (days === null ? stated : { days });
    if (event.expiresAt === undefined && duration === null) return refuse('duration_missing');
    return { type, update: { updatesUntil: renewedEnd(updatesUntil, 0, event, duration, now) } };
  }
  if (event.expiresAt === undefined && stated === null) return refuse('duration_missing');
  const graceMs = fromTimestamp(endsAt(license)!) - fromTimestamp(expiresAt);
  const updates =
    updatesUntil === null || event.updatesDays === undefined
      ? {}
      : { updatesUntil: renewedEnd(updatesUntil, 0, {}, { days: event.updatesDays }, now) };
  return {
    type,
    update: { expiresAt: renewedEnd(expiresAt, graceMs, event, stated, now), ...updates },
    details: event.expiresAt === undefined ? factsOf(stated) : {},
  };
}

/** The length of a renewal as facts of its event. */
function factsOf(duration: Duration | null) {
  if (duration === null) return {};
  return 'days' in duration ? { durationDays: duration.days } : { durationMonths: duration.months };
}

/**
 * An end after its renewal. A length begins at the present end, so that an early renewal loses no day, and one within
 * the grace pays for the days that the grace lent; after it, a length begins now.
 *
 * @param graceMs of the license
 */
function renewedEnd(
  end: string,
  graceMs: number,
  { expiresAt }: Pick<StorefrontEvent, 'expiresAt'>,
  duration: Duration | null,
  now: number,
): string {
  if (expiresAt !== undefined) return expiresAt > end ? expiresAt : end;
  const present = fromTimestamp(end);
  const from = present + graceMs > now ? present : now;
  return duration === null ? toTimestamp(from) : timeAfter(from, duration);
}
