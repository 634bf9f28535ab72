/** The figures of sales, and the events that they count (rules 10.16). Pure. */
import type { Event } from '../../platform/events/event.ts';

/**
 * The figures, each a number of licenses.
 * - `issued`: new licenses, without trials
 * - `purchased`: those of them that have a purchase
 * - `renewed`: extended by a payment
 * - `refunded`, `chargedBack`: the whole price went back
 * - `partlyRefunded`: a part of the price went back
 * - `reinstated`: a refund or chargeback was lifted
 * - `trialsStarted`: with a trial code, or by a machine without a key
 * - `trialsConverted`: a purchase followed within {@link TRIAL_COUNTS_DAYS} days
 */
export const SALE_METRICS = [
  'issued',
  'purchased',
  'renewed',
  'refunded',
  'partlyRefunded',
  'chargedBack',
  'reinstated',
  'trialsStarted',
  'trialsConverted',
] as const;
export type SaleMetric = (typeof SALE_METRICS)[number];

/** Days from the beginning of a trial in which a purchase counts as its success. */
export const TRIAL_COUNTS_DAYS = 90;

/** The figures that an event of a license counts in. */
export function metricsOf({ type, before, after }: Pick<Event, 'type' | 'before' | 'after'>): readonly SaleMetric[] {
  switch (type) {
    case 'license.created':
      if (after?.reason === 'trial' || after?.reason === 'trial_code') return ['trialsStarted'];
      return typeof after?.purchaseId === 'string' ? ['issued', 'purchased'] : ['issued'];
    case 'license.renewed':
      return ['renewed'];
    // A repeated report about a refund changes no field, and a revocation for another reason leaves this one.
    case 'license.revoked':
      if (after?.disputeReason === 'refund') return ['refunded'];
      return after?.disputeReason === 'chargeback' ? ['chargedBack'] : [];
    case 'license.reinstated':
      return typeof before?.disputeReason === 'string' ? ['reinstated'] : [];
    case 'license.noted':
    case 'license.updated':
      return after?.reason === 'refund' ? ['partlyRefunded'] : [];
    default:
      return [];
  }
}
