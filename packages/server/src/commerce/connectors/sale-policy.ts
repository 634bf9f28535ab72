/** The licenses of a sale: their number, limits and end. */
import { DAY_MS } from '../../ground/base/clock.ts';
import type { AttentionReason } from './attention.ts';
import { type MappedProduct, quantityRuleOf } from './mapping.ts';
import { MAX_UNITS } from './purchase-id.ts';
import type { ConnectorMode, ConnectorSettings } from './settings.ts';
import type { PaidPeriod, SoldLine } from './sources/facts.ts';

/** Days after a trial in which its license goes on. */
export const TRIAL_GRACE_DAYS = 1;
const MAX_TEST_DAYS = 14;
/** No limit of machines, sessions or users. */
const UNLIMITED = -1;

/** The end of a license, and the days after it in which the license goes on. */
export interface LicenseEnd {
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly graceDays: number;
}

/** The decision about a line of a sale. */
export type LineDecision =
  | {
      readonly outcome: 'issue';
      readonly mapped: MappedProduct;
      /** Licenses to issue. */
      readonly units: number;
      /** The limits of each are those of the variant times this. */
      readonly factor: number;
      /** Null for the duration of the variant, or none. */
      readonly end: LicenseEnd | null;
    }
  /** A mapping says that the product has no license, or the sale is told again for the other kind of mapping. */
  | { readonly outcome: 'ignored' | 'told_again' }
  | { readonly outcome: 'attention'; readonly reason: AttentionReason };

/** How a connector decides. */
export interface SalePolicy {
  readonly settings: ConnectorSettings;
  readonly mode: ConnectorMode;
  /** Days of grace that the variant gives. */
  readonly variantGraceDays: number;
  /** When the license was issued, or now, in milliseconds since 1970. */
  readonly issuedAt: number;
}

/** Decides about one line; each line of an order is decided by itself. */
export function decideLine(
  line: SoldLine,
  mapped: MappedProduct | 'ignore' | undefined,
  policy: SalePolicy,
): LineDecision {
  if (mapped === 'ignore') return { outcome: 'ignored' };
  if (mapped === undefined) return { outcome: 'attention', reason: 'unmapped_product' };
  if (line.countsFor !== null && line.countsFor !== (mapped.kind ?? 'once')) return { outcome: 'told_again' };
  const { quantity } = line;
  if (quantity < 1 || quantity > MAX_UNITS) return { outcome: 'attention', reason: 'bad_quantity' };
  if (isBelowMinimum(line, mapped)) return { outcome: 'attention', reason: 'below_minimum' };
  const scales = quantityRuleOf(line, mapped) === 'scale';
  return {
    outcome: 'issue',
    mapped,
    units: scales ? 1 : quantity,
    factor: scales ? quantity : 1,
    end: endOf(line.period, policy),
  };
}

/** Whether a unit costs less than the mapping asks for; an unknown amount may. */
function isBelowMinimum({ amount, quantity }: SoldLine, { minimumAmount }: MappedProduct): boolean {
  return minimumAmount !== null && (amount === null || amount < minimumAmount * quantity);
}

/** The end of a license whose period is paid; null for the duration of the variant. */
export function endOf(period: PaidPeriod | null, policy: SalePolicy): LicenseEnd | null {
  if (policy.mode === 'test') {
    const latest = policy.issuedAt + MAX_TEST_DAYS * DAY_MS;
    return { expiresAt: Math.min(period?.end ?? latest, latest), graceDays: 0 };
  }
  if (period === null) return null;
  return {
    expiresAt: period.end,
    graceDays: period.isTrial ? TRIAL_GRACE_DAYS : Math.max(policy.settings.graceDays, policy.variantGraceDays),
  };
}

/** A limit of a variant for a license of several units. */
export function scaledLimit(limit: number, factor: number): number {
  return limit === UNLIMITED ? UNLIMITED : limit * factor;
}
