/** Until when a license lasts that was bought or renewed: pure rules (rules 6.2, 6.4). */
import { daysAfter, fromTimestamp } from '../clock.ts';
import type { LicenseDecision } from '../licenses/change.ts';
import type { License } from '../licenses/license.ts';
import { type Refusal, refuse } from '../refusals.ts';

/** Lengths that may be known of a purchase, in days; undefined or null where they are not. */
export interface PurchasedDays {
  readonly durationDays: number | undefined;
  readonly trialDays: number | undefined;
  /** Trial days of a discount code that was redeemed with the purchase. */
  readonly codeTrialDays: number | undefined;
  /** durationDays of the catalogue's variant. */
  readonly variantDurationDays: number | null | undefined;
}

/** The expiry of a new license: the first length that is known counts; null, perpetual, when none is. */
export function purchasedExpiry(known: PurchasedDays, now: number): string | null {
  const days = known.durationDays ?? known.trialDays ?? known.codeTrialDays ?? known.variantDurationDays;
  return days === undefined || days === null ? null : daysAfter(now, days);
}

/**
 * The expiry after a renewal: one more period after the present one, or from now on where that is over. Who renews early
 * loses no day, and who renews late does not pay for days that are gone.
 */
export function renewedExpiry(expiresAt: string, days: number, now: number): string {
  return daysAfter(Math.max(now, fromTimestamp(expiresAt)), days);
}

/** Renews a license by so many days; a perpetual one stays as it is. */
export function renewalOf(
  license: License,
  days: number | null,
  now: number,
): LicenseDecision | Refusal<'duration_missing'> {
  if (license.expiresAt === null) return { type: 'license.renewed', license };
  if (days === null) return refuse('duration_missing');
  const expiresAt = renewedExpiry(license.expiresAt, days, now);
  return { type: 'license.renewed', license: { ...license, expiresAt }, details: { durationDays: days } };
}
