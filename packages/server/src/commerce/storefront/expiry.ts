/** Pure rules for the expiry of a bought or renewed license (rules 6.2, 6.4). */
import { daysAfter, fromTimestamp } from '../../ground/base/clock.ts';
import type { LicenseDecision } from '../../licensing/licenses/change.ts';
import type { License } from '../../licensing/licenses/license.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';

/** The known lengths of a purchase, in days; undefined or null when unknown. */
export interface PurchasedDays {
  readonly durationDays: number | undefined;
  readonly trialDays: number | undefined;
  /** Trial days of the discount code redeemed with the purchase. */
  readonly codeTrialDays: number | undefined;
  /** durationDays of the catalogue's variant. */
  readonly variantDurationDays: number | null | undefined;
}

/** The expiry of a new license: the first known length counts; null (perpetual) without any. */
export function purchasedExpiry(known: PurchasedDays, now: number): string | null {
  const days = known.durationDays ?? known.trialDays ?? known.codeTrialDays ?? known.variantDurationDays;
  return days === undefined || days === null ? null : daysAfter(now, days);
}

/**
 * The expiry after a renewal: one more period after the present expiry, or after now if it has passed. An early renewal
 * loses no day, and a late one does not pay for days already past.
 */
export function renewedExpiry(expiresAt: string, days: number, now: number): string {
  return daysAfter(Math.max(now, fromTimestamp(expiresAt)), days);
}

/** Renews a license by a number of days; a perpetual license stays perpetual. */
export function renewalOf(
  license: License,
  days: number | null,
  now: number,
): LicenseDecision | Refusal<'duration_missing'> {
  if (license.expiresAt === null) return { type: 'license.renewed' };
  if (days === null) return refuse('duration_missing');
  const expiresAt = renewedExpiry(license.expiresAt, days, now);
  return { type: 'license.renewed', update: { expiresAt }, details: { durationDays: days } };
}
