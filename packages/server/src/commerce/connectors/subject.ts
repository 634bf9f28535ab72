/** A sale as sellers told it: an order or a subscription, the ids that name it, and the licenses that it gave. */
import type { PaidPeriod, SubscriptionState } from './sources/facts.ts';

export interface Subject {
  readonly connectorId: string;
  readonly subjectId: string;
  /** The seller's id from which purchaseIds are made. */
  readonly order: string;
  /** The seller's id of the subscription; null for a sale that is paid once. */
  readonly subscription: string | null;
  readonly email: string | null;
  readonly customer: string | null;
  readonly language: string | null;
  /** The first payment, in the smallest unit of its currency; null where the seller does not say. */
  readonly total: number | null;
  readonly currency: string | null;
  /** The sum of the refunds of the first payment. */
  readonly refunded: number;
  /** Why all of it was taken back; units that are mapped later give no license then. */
  readonly reversal: 'refund' | 'chargeback' | null;
  /** The paid period that ends last. */
  readonly paid: PaidPeriod | null;
  /** The newest state of the subscription. */
  readonly status: {
    readonly state: SubscriptionState;
    /** Milliseconds since 1970. */
    readonly until: number | null;
    readonly asOf: number;
  } | null;
  readonly createdAt: string;
}

/** A license of a sale. */
export interface Unit {
  readonly connectorId: string;
  readonly subjectId: string;
  /** The seller's id of the line. */
  readonly line: string;
  /** From 1 within its line. */
  readonly unit: number;
  readonly licenseKey: string;
  readonly productId: string;
  /** The variant that the connector gave; null for the usual one. */
  readonly variant: string | null;
  /** Units that the license stands for: its limits are those of the variant times this. */
  readonly factor: number;
  readonly isRecurring: boolean;
  /** The end that the connector gave last. */
  readonly setExpiresAt: string | null;
  readonly issuedAt: string;
}

/** A license key of the seller's for a sale. */
export interface SellersKey {
  readonly connectorId: string;
  readonly subjectId: string;
  readonly licenseKey: string;
  /** Null where the seller does not name the line. */
  readonly line: string | null;
  readonly isDisabled: boolean;
  /** The moment of which the seller told it. */
  readonly asOf: string;
  /** Whether a license has it. */
  readonly isUsed: boolean;
}
