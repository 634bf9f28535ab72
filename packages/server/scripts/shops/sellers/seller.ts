/** A stand-in of a seller: makes the requests that the real one sends as the life of a sale goes on. */
import type { ProductName } from '../../../src/commerce/connectors/sources/facts.ts';
import type { Delivery, LookUp, Source } from '../../../src/commerce/connectors/sources/source.ts';

/** What happens to a buyer's sales: `buy` to `win` to two units that are sold once, the others to a subscription. */
export const STEPS = [
  'buy',
  'refundPart',
  'refundRest',
  'dispute',
  'win',
  'subscribe',
  'renew',
  'changePlan',
  'pause',
  'resume',
  'refundRenewal',
  'end',
] as const;
export type Step = (typeof STEPS)[number];

/** A request before it is signed. */
export interface Told {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A seller with one buyer. */
export interface Seller {
  readonly source: Source;
  readonly secret: string;
  /** The names of the products that are sold once, and as the first and the second plan of a subscription. */
  readonly once: ProductName;
  readonly basic: ProductName;
  readonly pro: ProductName;
  /** The API key of the seller's API; null where the source asks nothing. */
  readonly apiKey: string | null;
  /** The requests that a step causes, in the seller's own order; a seller without such a step lacks it. */
  readonly steps: Readonly<Partial<Record<Step, (at: number) => readonly Told[]>>>;
  /** What the seller's API answers to a look-up. */
  answer(lookUp: LookUp): unknown;
  /** The entries of a list of the seller's API, such as `events`; absent where its API has no list. */
  listed?(list: string): readonly unknown[];
  /** Signs a request as sent at a moment. */
  sign(told: Told, now: number, secret?: string): Delivery;
}

/** The buyer whom a seller's stand-in serves. */
export interface Buyer {
  /** Ends every id of the buyer and of the sales, so that several buyers have sales of their own. */
  readonly number: number;
  readonly email: string;
}

/** A delivery of a request with these further headers. */
export function deliveryOf({ body, headers }: Told, signature: Readonly<Record<string, string>> = {}): Delivery {
  const all = Object.entries({ 'content-type': 'application/json', ...headers, ...signature });
  return {
    body: Buffer.from(body),
    headers: Object.fromEntries(all.map(([name, value]) => [name.toLowerCase(), [value]])),
  };
}

/** A request as the vendor lets the seller send it again: what it tells is the same, and its id is another one. */
export function sentAgain({ name }: Pick<Source, 'name'>, { body, headers }: Told, resend: number): Told {
  const renamed = (id: unknown) => `${id}r${resend}`;
  switch (name) {
    case 'stripe':
    case 'paddle': {
      const event = JSON.parse(body);
      const id = name === 'stripe' ? 'id' : 'event_id';
      return { body: JSON.stringify({ ...event, [id]: renamed(event[id]) }), headers };
    }
    case 'fastspring': {
      const { events } = JSON.parse(body);
      const again = events.map((event: { readonly id: string }) => ({ ...event, id: renamed(event.id) }));
      return { body: JSON.stringify({ events: again }), headers };
    }
    case 'polar':
    case 'shopify': {
      const all = Object.entries(headers).map(([header, value]) => [
        header,
        header.endsWith('webhook-id') ? renamed(value) : value,
      ]);
      return { body, headers: Object.fromEntries(all) };
    }
    case 'gumroad':
      return { body: `${body}&resent=${resend}`, headers };
    default:
      // Without ids a seller's event is known by its bytes.
      return { body: `${body}${' '.repeat(resend)}`, headers };
  }
}

/** The moment a number of calendar months later; the last day of a month that has no such day, as sellers count. */
export function monthsAfter(at: number, months: number): number {
  const moment = new Date(at);
  const day = moment.getUTCDate();
  moment.setUTCMonth(moment.getUTCMonth() + months);
  return moment.getUTCDate() === day ? moment.getTime() : moment.setUTCDate(0);
}

/** A moment as sellers write it. */
export const iso = (at: number): string => new Date(at).toISOString();
export const seconds = (at: number): number => Math.floor(at / 1000);
