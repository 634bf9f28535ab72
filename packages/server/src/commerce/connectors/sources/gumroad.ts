/**
 * Gumroad: pings are not signed, and a vendor's own field may have the name of one of theirs. So a ping is a hint only:
 * the sale is read back from the API, and facts come from there alone.
 */
import type { Fact, Paid, Sold } from './facts.ts';
import { Fields, UnknownShape } from './fields.ts';
import { digestOf } from './signed.ts';
import { type DeliveredEvent, type Known, type Source, UNREADABLE } from './source.ts';
import {
  answerTo,
  bearerRequest,
  type Facts,
  namesOf,
  readEvents,
  readPage,
  referencesOf,
  translation,
} from './translating.ts';

/** The type of an event that catch-up read from the API. Its body is the sale. */
const LISTED = 'listed';
const MAX_FIELDS = 500;

/** Calendar months of a period. */
const MONTHS: Readonly<Record<string, number>> = {
  monthly: 1,
  quarterly: 3,
  biannually: 6,
  yearly: 12,
  every_two_years: 24,
};

/** The source of Gumroad. */
export const gumroad: Source<'gumroad'> = {
  name: 'gumroad',
  title: 'Gumroad',
  secret: 'none',
  issuesKeys: true,
  steps: [
    'In Settings, open Advanced, make an application and generate an access token.',
    'Enter the token as the API key of this connector: Gumroad does not sign its pings, so every sale is read back.',
    'Enter {url} as the Ping endpoint.',
    'Subscribe the same address to refund, dispute, dispute_won, cancellation, subscription_updated, subscription_ended and subscription_restarted through the API of Gumroad.',
  ],
  matches: ['variant', 'product', 'any'],
  verify: () => null,
  events: (delivery) => readEvents(delivery, (text) => [pingOf(text)]),
  // The pings about two refunds of a sale have the same bytes.
  isHint: ({ type }) => type !== LISTED && type !== UNREADABLE,
  facts: (event, known) =>
    event.type === UNREADABLE ? { unknownShape: 'body' } : translation(() => factsOf(event, known)),
  lookUps: {
    origin: 'https://api.gumroad.com',
    request: (path, apiKey) => bearerRequest(path, apiKey),
    pathOf: ({ id }) => `/v2/sales/${encodeURIComponent(id)}`,
    catchUp: [
      {
        // The API lists by day, and takes the day after the one that it is given.
        first: (since) => `/v2/sales?after=${new Date(since - 86_400_000).toISOString().slice(0, 10)}`,
        read: (value) =>
          readPage(value, (page) => ({
            events: page.list('sales').map(listedEvent),
            next: nextPathOf(page),
          })),
      },
    ],
  },
};

function pingOf(text: string): DeliveredEvent {
  const form = new URLSearchParams(text);
  if (form.size === 0 || form.size > MAX_FIELDS) throw new UnknownShape('body');
  // Retries differ in this field alone.
  form.delete('retry_count');
  form.sort();
  const subject = saleOf(form) ?? form.get('subscription_id');
  if (subject === null || subject === '' || subject.length > 255) throw new UnknownShape('sale_id');
  const sellerEventId = digestOf(form.toString());
  // `test` stands on the latest real sale that the vendor sends again.
  const isTest = form.get('test') === 'true' ? true : null;
  return {
    sellerEventId,
    type: (form.get('resource_name') ?? 'sale').slice(0, 100),
    at: null,
    isTest,
    subject,
    body: text,
  };
}

/** The sale of a ping; pings about a subscription list its sales, the first one first. */
function saleOf(form: URLSearchParams): string | null {
  return form.get('sale_id') ?? form.get('purchase_ids[]') ?? form.get('purchase_ids[0]');
}

function factsOf(event: DeliveredEvent, known: Known): Facts {
  if (event.type === LISTED) return saleFacts(new Fields(JSON.parse(event.body), 'sale'));
  const id = saleOf(new URLSearchParams(event.body));
  if (id === null || id === '') throw new UnknownShape('sale_id');
  const need = { what: 'sale', id } as const;
  const answer = answerTo(known, need);
  return answer === null ? { needs: [need] } : saleFacts(answer.object('sale'));
}

function saleFacts(sale: Fields): Facts {
  const id = sale.id('id');
  const at = sale.moment('created_at');
  const subscription = sale.maybeId('subscription_id');
  const isRenewal = sale.flag('recurring_charge');
  const of = referencesOf({ order: id });
  const periodEnd = subscription === null ? null : monthsAfter(at, monthsOf(sale));
  const facts: Fact[] = [];
  if (subscription !== null && periodEnd !== null && isRenewal) {
    const paid: Paid = { fact: 'paid', subscription, periodEnd, references: of, at };
    facts.push(paid);
  } else facts.push(saleSold(sale, { id, at, subscription, periodEnd }));

  const isFull = sale.flag('refunded');
  if (isFull || sale.flag('partially_refunded')) {
    const remaining = sale.maybeText('amount_refundable_in_currency') ?? 'none';
    const payment = subscription === null ? null : isRenewal ? 'later' : 'first';
    const sums = { amount: null, refundedInAll: null, currency: null, takesBack: false, lines: null } as const;
    // The API tells the amount that can still be refunded, in the currency of the product.
    facts.push({ fact: 'refunded', refund: `${id}:${isFull ? 'all' : remaining}`, of, isFull, payment, at, ...sums });
  }
  if (sale.flag('disputed')) facts.push({ fact: 'disputed', dispute: id, phase: 'opened', of, at });
  if (sale.flag('dispute_won')) facts.push({ fact: 'disputed', dispute: id, phase: 'won', of, at });
  const key = sale.maybeText('license_key');
  if (key !== null && !isRenewal) {
    const isDisabled = sale.flag('license_disabled');
    facts.push({ fact: 'theirKey', key, of, line: id, limit: -1, expiresAt: null, isDisabled, asOf: at });
  }
  if (subscription !== null && sale.flag('ended'))
    facts.push({
      fact: 'subscription',
      subscription,
      state: 'ended',
      asOf: at,
      until: null,
      lines: [],
      customer: null,
    });
  return facts;
}

function saleSold(
  sale: Fields,
  {
    id,
    at,
    subscription,
    periodEnd,
  }: Pick<Sold, 'subscription' | 'at'> & { readonly id: string; readonly periodEnd: number | null },
): Sold {
  const amount = sale.whole('price');
  return {
    fact: 'sold',
    order: id,
    references: referencesOf({ order: id, subscription }),
    // A gift is for its receiver.
    email: sale.email('giftee_email') ?? sale.email('email') ?? sale.email('purchase_email'),
    customer: null,
    language: null,
    lines: [
      {
        line: id,
        names: namesOf({ variant: variantOf(sale), product: sale.id('product_id') }),
        quantity: sale.maybeWhole('quantity') ?? 1,
        amount,
        isRecurring: subscription !== null,
        period: periodEnd === null ? null : { end: periodEnd, isTrial: amount === 0 },
        countsFor: null,
      },
    ],
    total: null,
    subscription,
    at,
  };
}

/** The product and the chosen variants, in the order of their categories: `32-nP... (Tier: Pro, Size: Big)`. */
function variantOf(sale: Fields): string | null {
  const chosen = sale.maybeObject('variants');
  if (chosen === null || chosen.names.length === 0) return null;
  const words = chosen.names.toSorted().map((category) => `${category}: ${chosen.text(category)}`);
  const variant = `${sale.id('product_id')} (${words.join(', ')})`;
  return variant.length <= 255 ? variant : null;
}

function monthsOf(sale: Fields): number {
  const months = MONTHS[sale.text('subscription_duration')];
  if (months === undefined) throw new UnknownShape('sale.subscription_duration');
  return months;
}

/** The moment some calendar months later; a day that the month lacks is its last one. */
function monthsAfter(at: number, months: number): number {
  const moment = new Date(at);
  const day = moment.getUTCDate();
  moment.setUTCMonth(moment.getUTCMonth() + months, 1);
  const last = new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + 1, 0)).getUTCDate();
  moment.setUTCDate(Math.min(day, last));
  return moment.getTime();
}

/** The path of the next page, which must not lead the access token elsewhere. */
function nextPathOf(page: Fields): string | null {
  const path = page.maybeText('next_page_url');
  return path?.startsWith('/v2/sales?') ? path : null;
}

function listedEvent(sale: Fields): DeliveredEvent {
  const body = sale.json();
  const [at, subject] = [sale.moment('created_at'), sale.id('id')];
  // How long ago the sale was, in words: it differs from hour to hour.
  const { timestamp: _, ...lasting } = JSON.parse(body);
  return { sellerEventId: digestOf(JSON.stringify(lasting)), type: LISTED, at, isTest: null, subject, body };
}
