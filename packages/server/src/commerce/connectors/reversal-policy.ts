/** The effects of refunds and disputes. No decision converts an amount to another currency. */
import type { AttentionReason } from './attention.ts';
import type { ConnectorSettings } from './settings.ts';
import type { Disputed, Refunded } from './sources/facts.ts';

/** A license that an order gave, and that is not revoked. */
export interface SoldUnit {
  readonly licenseKey: string;
  readonly line: string;
  /** From 1 within its line. */
  readonly unit: number;
  /** Units of the line that this license stands for. */
  readonly factor: number;
  readonly isActivated: boolean;
}

/** The facts of a sale when money goes back. */
export interface ReversedSale {
  /** The paid amount; null where the seller did not say. */
  readonly total: number | null;
  readonly currency: string | null;
  /** The sum of the refunds before this one. */
  readonly refunded: number;
  /** Whether the refunded payment is one of a subscription after its first. */
  readonly isLaterPayment: boolean;
  readonly units: readonly SoldUnit[];
}

/** The decision about money that went back. */
export interface RefundDecision {
  /** Keys of licenses to revoke, as refunded. */
  readonly revoke: readonly string[];
  /** Licenses that stand for fewer units from now on. */
  readonly rescale: readonly { readonly licenseKey: string; readonly factor: number }[];
  /** Whether the refund is noted on the licenses that stay. */
  readonly notes: boolean;
  readonly attention: AttentionReason | null;
  /** The sum of all refunds. */
  readonly refunded: number;
}

/** Decides about a refund that is certain. */
export function decideRefund(
  refund: Refunded,
  sale: ReversedSale,
  { partialRefund }: Pick<ConnectorSettings, 'partialRefund'>,
): RefundDecision {
  const { refundedInAll, amount } = refund;
  const refunded = refundedInAll === null ? sale.refunded + (amount ?? 0) : Math.max(refundedInAll, sale.refunded);
  const nothing: RefundDecision = { revoke: [], rescale: [], notes: true, attention: null, refunded };
  if (refund.payment === 'later' || sale.isLaterPayment) return nothing;
  const everything = { ...nothing, revoke: sale.units.map(({ licenseKey }) => licenseKey), notes: false };
  if (refund.isFull || refund.takesBack || isWhole(refund, sale, refunded)) return everything;
  if (refund.lines !== null) return decideLines(refund.lines, sale.units, nothing);
  return partialRefund === 'revoke' ? everything : nothing;
}

/** Whether all the money went back, in the currency in which it was paid. */
function isWhole({ currency }: Refunded, { total, currency: paid }: ReversedSale, refunded: number): boolean {
  return total !== null && total > 0 && currency !== null && currency === paid && refunded >= total;
}

function decideLines(
  lines: NonNullable<Refunded['lines']>,
  units: readonly SoldUnit[],
  nothing: RefundDecision,
): RefundDecision {
  const revoke: string[] = [];
  const rescale: RefundDecision['rescale'][number][] = [];
  let isUnplaced = false;
  for (const { line, quantity } of lines) {
    const ofLine = units.filter((unit) => unit.line === line);
    const sold = ofLine.reduce((sum, { factor }) => sum + factor, 0);
    if (ofLine.length === 0) isUnplaced = true;
    else if (quantity === null || quantity >= sold) revoke.push(...ofLine.map(({ licenseKey }) => licenseKey));
    else if (ofLine.length === 1) rescale.push({ licenseKey: ofLine[0]!.licenseKey, factor: sold - quantity });
    else {
      const unused = ofLine.filter(({ isActivated }) => !isActivated).toSorted((one, other) => other.unit - one.unit);
      revoke.push(...unused.slice(0, quantity).map(({ licenseKey }) => licenseKey));
      if (unused.length < quantity) isUnplaced = true;
    }
  }
  const attention = isUnplaced ? 'refund_unplaced' : null;
  return { ...nothing, revoke, rescale, notes: revoke.length < units.length, attention };
}

/** The decision about a step of a dispute. */
export type DisputeDecision = 'note' | 'revoke' | 'reinstate' | 'attention';

/**
 * Decides about a dispute. A dispute that is lost was opened, even if nobody told so.
 *
 * @param isWon whether a later step of the same sale's dispute told already that it is won
 */
export function decideDispute(
  { phase }: Pick<Disputed, 'phase'>,
  isWon: boolean,
  { disputeWon }: Pick<ConnectorSettings, 'disputeWon'>,
): DisputeDecision {
  if (phase === 'opened' && isWon && disputeWon === 'reinstate') return 'note';
  switch (phase) {
    case 'inquiry':
      return 'note';
    case 'opened':
    case 'lost':
      return 'revoke';
    case 'won':
      return disputeWon === 'reinstate' ? 'reinstate' : 'attention';
  }
}
