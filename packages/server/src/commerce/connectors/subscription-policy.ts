/**
 * The end that a subscription owes its license, and the effect of another plan on its terms. Both come from all that
 * was told so far, so that the order in which a seller tells it does not matter.
 */
import type { AttentionReason } from './attention.ts';
import { type MappedProduct, quantityRuleOf } from './mapping.ts';
import { MAX_UNITS } from './purchase-id.ts';
import { endOf, type LicenseEnd, type SalePolicy, TRIAL_GRACE_DAYS } from './sale-policy.ts';
import type { PaidPeriod, SubscriptionFact } from './sources/facts.ts';

/** The reported facts of a subscription. */
export interface ToldSubscription {
  /** The paid period that ends last; null if none was told. */
  readonly paid: PaidPeriod | null;
  /** The newest state; null if none was told. */
  readonly newest: Pick<SubscriptionFact, 'state' | 'until' | 'asOf'> | null;
}

/**
 * The end that is owed. Only payments move it forward; a subscription that is over ends at the moment that the seller
 * says, without grace. Null if nothing is owed because no period was told.
 */
export function owedEnd({ paid, newest }: ToldSubscription, policy: SalePolicy): LicenseEnd | null {
  const end = paid === null ? null : endOf(paid, policy);
  if (end === null || newest === null || policy.mode === 'test') return end;
  switch (newest.state) {
    case 'trial':
      return { expiresAt: Math.max(end.expiresAt, newest.until ?? 0), graceDays: TRIAL_GRACE_DAYS };
    case 'active':
      return end;
    case 'pastDue':
      return { ...end, graceDays: Math.max(policy.settings.dunningDays, end.graceDays) };
    case 'paused':
    case 'unpaid':
    case 'ended':
      return { expiresAt: Math.min(end.expiresAt, newest.until ?? newest.asOf), graceDays: 0 };
  }
}

/** The end that a license has. */
export interface PresentEnd {
  /** Milliseconds since 1970; null for a perpetual license. */
  readonly expiresAt: number | null;
  readonly graceDays: number;
  /** Whether it is the end that the connector gave last, and nobody changed it since. */
  readonly isOurs: boolean;
}

/** `kept`: the license would end earlier, but somebody else gave it more; a person decides. */
export type EndDecision = { readonly outcome: 'set'; readonly end: LicenseEnd } | { readonly outcome: 'same' | 'kept' };

/** Moves the end of a license to the one that is owed. A connector shortens only what it gave itself. */
export function decideEnd(present: PresentEnd, owed: LicenseEnd | null): EndDecision {
  if (owed === null) return { outcome: 'same' };
  const isSame = present.expiresAt === owed.expiresAt && present.graceDays === owed.graceDays;
  if (isSame) return { outcome: 'same' };
  const isShorter = present.expiresAt === null || owed.expiresAt < present.expiresAt;
  return isShorter && !present.isOurs ? { outcome: 'kept' } : { outcome: 'set', end: owed };
}

/** The effect of another plan or quantity on a license. */
export type PlanDecision =
  | { readonly outcome: 'change'; readonly variant: string | null; readonly factor: number }
  | { readonly outcome: 'same' | 'ignored' }
  | { readonly outcome: 'attention'; readonly reason: AttentionReason };

/** The plan of a license that was bought through a connector. */
export interface KnownPlan {
  readonly productId: string;
  /** The variant that the connector gave it; null for the one that the service takes by default. */
  readonly variant: string | null;
  readonly factor: number;
}

/** The same key goes on with another variant of its product; another product is a person's decision. */
export function decidePlan(
  known: KnownPlan,
  quantity: number,
  mapped: MappedProduct | 'ignore' | undefined,
): PlanDecision {
  if (mapped === 'ignore') return { outcome: 'ignored' };
  if (mapped === undefined) return { outcome: 'attention', reason: 'unmapped_product' };
  if (mapped.productId !== known.productId) return { outcome: 'attention', reason: 'product_changed' };
  if (quantity < 1 || quantity > MAX_UNITS) return { outcome: 'attention', reason: 'bad_quantity' };
  const factor = quantityRuleOf({ isRecurring: true }, mapped) === 'scale' ? quantity : 1;
  if (mapped.variant === known.variant && factor === known.factor) return { outcome: 'same' };
  return { outcome: 'change', variant: mapped.variant, factor };
}

/** A limit after a change of the plan: the new one where the license had the old one, else its own. */
export function limitAfterChange(present: number, old: number, next: number): number {
  return present === old ? next : present;
}
