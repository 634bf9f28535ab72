/**
 * The facts of a sale, in the words of this service: the closed union that sources translate the events of sellers
 * into. Nothing behind this file knows a seller. Moments are milliseconds since 1970; amounts are whole numbers of the
 * smallest unit of their currency, as the seller counts it.
 */

/** The kind of thing that a reference identifies at the seller. Lines of an order are named beside it, never alone. */
export const REFERENCE_KINDS = [
  'session',
  'order',
  'payment',
  'charge',
  'invoice',
  'subscription',
  'customer',
] as const;
export type ReferenceKind = (typeof REFERENCE_KINDS)[number];

/** An id of the seller's by which later events name a sale. */
export interface Reference {
  readonly kind: ReferenceKind;
  readonly id: string;
}

/** The kinds of ids of a mapping, from the most exact to the least exact. */
export const MATCHES = ['price', 'variant', 'sku', 'payment_link', 'path', 'product', 'any'] as const;
export type Match = (typeof MATCHES)[number];

/**
 * The kinds of names of a product. `latchkey_variant` is the variantId of a variant of this service, which the vendor
 * wrote into the metadata of a price, a payment link or a subscription.
 */
export type NameKind = 'latchkey_variant' | Exclude<Match, 'any'>;

/** A name that the seller gives to a sold product. */
export interface ProductName {
  readonly by: NameKind;
  readonly id: string;
}

/** An amount with its currency, an ISO 4217 code in capitals. */
export interface Money {
  readonly amount: number;
  readonly currency: string;
}

/** The time until which a line is paid. */
export interface PaidPeriod {
  readonly end: number;
  /** Nothing was paid: the period is a trial. */
  readonly isTrial: boolean;
}

/** A line of a sale: a number of units of one product. */
export interface SoldLine {
  /** The seller's id of the line; unique within its order. */
  readonly line: string;
  /** Every name of the product that a mapping may hold. */
  readonly names: readonly ProductName[];
  /** As the seller says it: may be 0, negative or millions. */
  readonly quantity: number;
  /** The price of the whole line after discounts; null where the seller does not say. */
  readonly amount: number | null;
  readonly isRecurring: boolean;
  readonly period: PaidPeriod | null;
  /** The kind of mapping for which this line is a sale, where the seller tells a sale twice; null for any mapping. */
  readonly countsFor: 'once' | 'subscription' | null;
}

/** A paid sale. */
export interface Sold {
  readonly fact: 'sold';
  /** The seller's id from which the purchaseId is made. */
  readonly order: string;
  /** Whether it is one line of an order that the seller tells line by line: the purchaseId names the line then. */
  readonly isSingleLine?: boolean;
  /** All ids by which later events name this sale, the order's among them. */
  readonly references: readonly Reference[];
  /** Null where only the customer's record tells it. */
  readonly email: string | null;
  readonly customer: string | null;
  readonly language: string | null;
  readonly lines: readonly SoldLine[];
  readonly total: Money | null;
  readonly subscription: string | null;
  readonly at: number;
}

/** A payment of a subscription after the first. */
export interface Paid {
  readonly fact: 'paid';
  readonly subscription: string;
  readonly periodEnd: number;
  /** Ids of this payment, for its refund. */
  readonly references: readonly Reference[];
  readonly at: number;
}

/** Units of a line that were refunded; a null quantity is all of them. */
export interface RefundedLine {
  readonly line: string;
  readonly quantity: number | null;
}

/** Money that went back to the buyer. Only refunds that are certain are facts. */
export interface Refunded {
  readonly fact: 'refunded';
  /** Identifies the refund; made of payment and amount where the seller only tells the sum of all refunds. */
  readonly refund: string;
  /** The refunded things, the most exact first; any of these may be known. */
  readonly of: readonly Reference[];
  /** The amount of this refund; null where the seller only tells the sum. */
  readonly amount: number | null;
  /** The sum of all refunds of this payment, where the seller tells it. */
  readonly refundedInAll: number | null;
  readonly currency: string | null;
  /** The seller says that nothing of the payment remains. */
  readonly isFull: boolean;
  /** The seller was told to take the goods back, for any amount. */
  readonly takesBack: boolean;
  /** Null where the seller does not name lines. */
  readonly lines: readonly RefundedLine[] | null;
  /** Which payment of a subscription was refunded, where the seller says so. */
  readonly payment: 'first' | 'later' | null;
  readonly at: number;
}

/** A refund that failed or was taken back after it counted. */
export interface RefundUndone {
  readonly fact: 'refundUndone';
  readonly refund: string;
  readonly of: readonly Reference[];
  readonly amount: number | null;
  readonly at: number;
}

/** `inquiry` is a question of the bank that may become a dispute. */
export const DISPUTE_PHASES = ['inquiry', 'opened', 'won', 'lost'] as const;
export type DisputePhase = (typeof DISPUTE_PHASES)[number];

/** A step of a dispute. */
export interface Disputed {
  readonly fact: 'disputed';
  readonly dispute: string;
  readonly phase: DisputePhase;
  readonly of: readonly Reference[];
  readonly at: number;
}

/** States of a subscription, in the order in which the later one counts when a seller tells two in one second. */
export const SUBSCRIPTION_STATES = ['trial', 'active', 'pastDue', 'paused', 'unpaid', 'ended'] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

/** The state of a subscription at a moment. It moves no end forward: only payments do. */
export interface SubscriptionFact {
  readonly fact: 'subscription';
  readonly subscription: string;
  readonly state: SubscriptionState;
  /** The moment of which the seller tells this state. */
  readonly asOf: number;
  /** When the state `ended`, `unpaid` or `paused` began, or the trial ends; null where the seller does not say. */
  readonly until: number | null;
  /** The present products of the subscription, one for each line; empty where the seller does not say. */
  readonly lines: readonly SubscribedLine[];
  readonly customer: string | null;
}

/** A line of a subscription: a product and its present quantity. */
export interface SubscribedLine {
  readonly line: string | null;
  readonly names: readonly ProductName[];
  readonly quantity: number;
}

/** A customer of the seller's. */
export interface CustomerFact {
  readonly fact: 'customer';
  readonly customer: string;
  readonly email: string | null;
  readonly language: string | null;
  readonly asOf: number;
}

/**
 * The references name the same sale. A reference that is linked to itself only waits until its sale
 * is told.
 */
export interface Linked {
  readonly fact: 'linked';
  readonly reference: Reference;
  readonly to: readonly Reference[];
}

/** A license key that the seller issued, as it is now. */
export interface TheirKey {
  readonly fact: 'theirKey';
  readonly key: string;
  /** The sale that the key belongs to. */
  readonly of: readonly Reference[];
  /** Null where the seller does not name the line. */
  readonly line: string | null;
  /** Greatest number of activations; -1 is unlimited. */
  readonly limit: number;
  readonly expiresAt: number | null;
  readonly isDisabled: boolean;
  readonly asOf: number;
}

/** Why an event says nothing about licenses. */
export const IGNORED_BECAUSE = {
  not_paid: 'the seller has no payment yet, or will have none',
  told_elsewhere: 'another event of the seller tells the same',
  refund_pending: 'the refund is not certain yet',
  refund_refused: 'the refund was refused',
  no_change: 'it changes nothing that a license depends on',
  unused_type: 'no license depends on events of this type',
} as const;
export type IgnoredBecause = keyof typeof IGNORED_BECAUSE;

/** The event says nothing about licenses. */
export interface Ignored {
  readonly fact: 'ignored';
  readonly because: IgnoredBecause;
}

export type Fact =
  | Sold
  | Paid
  | Refunded
  | RefundUndone
  | Disputed
  | SubscriptionFact
  | CustomerFact
  | Linked
  | TheirKey
  | Ignored;

/** The key under which a unit of a sale is carried out once, by any event that tells it. Units count from 1. */
export function soldKey(order: string, line: string, unit: number): string {
  return `sold:${order}:${line}:${unit}`;
}

/**
 * The key under which a fact is carried out once, by any event that tells it. Null for a sale, whose units have keys of
 * their own, and for facts that are true as of a moment: the newest counts, as often as it comes.
 */
export function factKey(fact: Fact): string | null {
  switch (fact.fact) {
    case 'paid':
      return `paid:${fact.subscription}:${fact.periodEnd}`;
    case 'refunded':
      return `refund:${fact.refund}`;
    case 'refundUndone':
      return `refund_undone:${fact.refund}`;
    case 'disputed':
      return `dispute:${fact.dispute}:${fact.phase}`;
    case 'sold':
    case 'subscription':
    case 'customer':
    case 'linked':
    case 'theirKey':
    case 'ignored':
      return null;
  }
}

/** Whether a told state of a subscription, or of a customer, replaces the one that is known. */
export function isNewer(
  told: { readonly asOf: number; readonly rank: number },
  known: { readonly asOf: number; readonly rank: number } | null,
): boolean {
  if (known === null || told.asOf !== known.asOf) return known === null || told.asOf > known.asOf;
  return told.rank > known.rank;
}

/** The rank of a state among those of one moment: sellers count whole seconds. */
export function rankOf(state: SubscriptionState): number {
  return SUBSCRIPTION_STATES.indexOf(state);
}
