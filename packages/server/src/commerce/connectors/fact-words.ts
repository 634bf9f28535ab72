/** Facts in a sentence each, for the preview of an event. */
import { type Fact, IGNORED_BECAUSE } from './sources/facts.ts';

const day = (at: number) => new Date(at).toISOString();

/** Puts a fact into words. */
export function wordsOf(fact: Fact): string {
  switch (fact.fact) {
    case 'sold': {
      const lines = fact.lines.map(({ quantity, names, period }) => {
        const name = names.at(-1)?.id ?? 'without a name';
        return `${quantity} of ${name}${period === null ? '' : `, paid until ${day(period.end)}`}`;
      });
      return `Order ${fact.order} was paid: ${lines.join('; ')}.`;
    }
    case 'paid':
      return `Subscription ${fact.subscription} is paid until ${day(fact.periodEnd)}.`;
    case 'refunded':
      return fact.isFull ? `Refund ${fact.refund} gave everything back.` : `Refund ${fact.refund} gave a part back.`;
    case 'refundUndone':
      return `Refund ${fact.refund} did not happen.`;
    case 'disputed':
      return `Dispute ${fact.dispute} is at this step: ${fact.phase}.`;
    case 'subscription':
      return `Subscription ${fact.subscription} is in this state: ${fact.state}.`;
    case 'customer':
      return `Customer ${fact.customer} has another record.`;
    case 'linked':
      return `The ${fact.reference.kind} ${fact.reference.id} belongs to a known sale.`;
    case 'theirKey':
      return `The seller issued a license key${fact.isDisabled ? ' and disabled it' : ''}.`;
    case 'ignored':
      return `Nothing follows: ${IGNORED_BECAUSE[fact.because]}.`;
  }
}
