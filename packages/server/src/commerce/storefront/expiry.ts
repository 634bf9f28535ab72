/** Pure rules for the end of a bought or renewed license (rules 6.2, 6.4). */
import { fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import type { LicenseDecision } from '../../licensing/licenses/change.ts';
import { endsAt, type License } from '../../licensing/licenses/license.ts';
import { ownTermsAfter } from '../../licensing/licenses/terms.ts';
import {
  type AddedLengths,
  endedAt,
  lengthened,
  type Waiting,
  waitsForEnd,
  waitsForUpdates,
} from '../../licensing/licenses/waiting.ts';
import { type Duration, durationOf, durationOfVariant, timeAfter } from '../../licensing/products/duration.ts';
import type { Variant } from '../../licensing/products/variant.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { StorefrontEvent } from './event.ts';

/** The part of an event that says how long a license lasts. */
type StatedEnd = Pick<StorefrontEvent, 'expiresAt' | 'durationDays' | 'durationMonths'>;

/** The part of a renewal that says how long it lasts. */
type RenewedPeriod = StatedEnd & Pick<StorefrontEvent, 'updatesDays'>;

/** The known lengths of a purchase. */
export interface PurchasedPeriod {
  readonly event: Pick<StorefrontEvent, 'durationDays' | 'durationMonths' | 'trialDays'>;
  /** Trial days of the discount code redeemed with the purchase. */
  readonly codeTrialDays: number | undefined;
  /** The variant of the catalogue. */
  readonly variant: Variant | undefined;
}

/** The length of a new license without an end of the shop: the first that is known; null (perpetual) without any. */
export function purchasedLength({ event, codeTrialDays, variant }: PurchasedPeriod): Duration | null {
  return (
    durationOf(event) ?? durationOf({ durationDays: event.trialDays ?? codeTrialDays }) ?? durationOfVariant(variant)
  );
}

/**
 * Renews a license: to the shop's own end, which never shortens it, else by a length of the event or the variant. A
 * perpetual license stays perpetual; if its updates end, they are renewed instead. Before the first activation of a
 * license whose time begins with it, a length is added to what waits.
 */
export function renewalOf(
  license: License,
  event: RenewedPeriod,
  variant: Variant | undefined,
  now: number,
): LicenseDecision | Refusal<'duration_missing'> {
  if (license.terms.waiting !== null) return waitingRenewalOf(license, license.terms.waiting, event, variant, now);
  const type = 'license.renewed';
  const stated = durationOf(event) ?? durationOfVariant(variant);
  const { expiresAt, updatesUntil } = license;
  if (expiresAt === null) {
    if (updatesUntil === null) return { type };
    const duration = updatesLength(event, variant);
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

/** Renews a license whose time has not begun: the shop's own end wins, and a length waits with the others. */
function waitingRenewalOf(
  license: License,
  waiting: Waiting,
  event: RenewedPeriod,
  variant: Variant | undefined,
  now: number,
): LicenseDecision | Refusal<'duration_missing'> {
  const type = 'license.renewed';
  const added = (lengths: AddedLengths) => ({ terms: { ...license.terms, waiting: lengthened(waiting, lengths) } });
  const stated = durationOf(event) ?? durationOfVariant(variant);
  if (!waitsForEnd(waiting)) {
    if (event.expiresAt !== undefined)
      return { type, update: ownTermsAfter(license, { updatesUntil: event.expiresAt }) };
    const updates = updatesLength(event, variant);
    return updates === null ? refuse('duration_missing') : { type, update: added({ updates }) };
  }
  if (event.expiresAt !== undefined) return { type, update: endedAt(license, event.expiresAt, now) };
  if (stated === null) return refuse('duration_missing');
  const updates = event.updatesDays === undefined || !waitsForUpdates(waiting) ? null : { days: event.updatesDays };
  return { type, update: added({ license: stated, updates }), details: factsOf(stated) };
}

/** The length by which a renewal moves the updates of a license that has no other end. */
function updatesLength(event: RenewedPeriod, variant: Variant | undefined): Duration | null {
  const days = event.updatesDays ?? variant?.terms.updatesDays ?? null;
  return durationOf(event) ?? (days === null ? durationOfVariant(variant) : { days });
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
