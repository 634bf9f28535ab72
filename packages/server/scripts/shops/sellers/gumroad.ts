/** Gumroad's stand-in: unsigned pings as forms, and the API that tells a sale. */
import { gumroad } from '../../../src/commerce/connectors/sources/gumroad.ts';
import { type Buyer, deliveryOf, iso, type Seller, type Told } from './seller.ts';

const [ONCE, PLAN] = ['32-nPAicqbLj8B_WswVlMw==', 'QMGY0GQWyh2DQ6dYrOZbMg=='];

/** A sale as the API tells it. Its moments have no fraction of a second. */
interface Sale {
  readonly id: string;
  readonly created_at: string;
  refunded: boolean;
  partially_refunded: boolean;
  amount_refundable_in_currency: string;
  disputed: boolean;
  dispute_won: boolean;
  ended: boolean;
  readonly [other: string]: unknown;
}

/** A Gumroad creator with one buyer. */
export function gumroadSeller({ number, email }: Buyer): Seller {
  const id = (name: string) => `${name}-dvxYabdavG97Y-Q${number}==`;
  const sales = new Map<string, Sale>();
  const subscription = { id: id('sub'), charges: 0 };

  const ping = (resource: string, sale: Sale, more: Readonly<Record<string, string>> = {}): Told => ({
    body: new URLSearchParams({
      seller_id: 'RkCCaDkPPciPd9155vcaJg==',
      product_id: String(sale.product_id),
      product_name: 'Pencil Icon PSD',
      permalink: 'pencil',
      product_permalink: 'https://sahil.gumroad.com/l/pencil',
      // A field of the seller's own with the name of theirs: the buyer types it.
      'custom_fields[email]': 'other@example.com',
      email: 'other@example.com',
      price: '9800',
      currency: 'usd',
      sale_id: sale.id,
      sale_timestamp: sale.created_at,
      order_number: '292372715',
      url_params: '{"latchkey_variant":"what the buyer likes"}',
      resource_name: resource,
      ...more,
    }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

  const sell = (name: string, at: number, product: string, quantity: number, isRenewal: boolean): Sale => {
    const isPlan = product === PLAN;
    const sale: Sale = {
      id: id(name),
      email,
      seller_id: 'RkCCaDkPPciPd9155vcaJg==',
      timestamp: 'about 1 hour ago',
      created_at: iso(at).replace(/\.\d+/, ''),
      product_name: 'Pencil Icon PSD',
      product_id: product,
      price: 9800,
      currency_symbol: '$',
      amount_refundable_in_currency: '98',
      partially_refunded: false,
      refunded: false,
      chargedback: false,
      purchase_email: email,
      paid: true,
      variants: isPlan ? { Tier: 'Basic' } : {},
      order_id: 292_372_715,
      is_recurring_billing: isPlan,
      disputed: false,
      dispute_won: false,
      subscription_id: isPlan ? subscription.id : null,
      subscription_duration: isPlan ? 'monthly' : null,
      cancelled: false,
      ended: false,
      recurring_charge: isRenewal,
      license_key: `83DB262A-C19D479A-BDC8-${number}`,
      license_disabled: false,
      quantity,
    };
    sales.set(sale.id, sale);
    return sale;
  };
  const change = (name: string, changed: Partial<Sale>): Sale =>
    Object.assign(sales.get(id(name)) ?? {}, changed) as Sale;

  return {
    source: gumroad,
    secret: '',
    once: { by: 'product', id: ONCE! },
    basic: { by: 'product', id: PLAN! },
    pro: { by: 'product', id: PLAN! },
    apiKey: 'an access token of the vendor',
    steps: {
      buy: (at) => [ping('sale', sell('order', at, ONCE!, 2, false))],
      refundPart: () => {
        const part = change('order', { partially_refunded: true, amount_refundable_in_currency: '49' });
        return [ping('refund', part)];
      },
      refundRest: () => [ping('refund', change('order', { refunded: true, partially_refunded: false }))],
      dispute: () => [ping('dispute', change('order', { disputed: true }))],
      subscribe: (at) => [ping('sale', sell('plan', at, PLAN!, 1, false))],
      renew: (at) => {
        subscription.charges += 1;
        return [ping('sale', sell(`plan${subscription.charges}`, at, PLAN!, 1, true), { is_recurring_charge: 'true' })];
      },
      refundRenewal: () => [ping('refund', change(`plan${subscription.charges}`, { refunded: true }))],
      end: (at) => {
        const { body, headers } = ping('subscription_ended', change('plan', { ended: true }));
        const form = new URLSearchParams(body);
        for (const name of ['sale_id', 'sale_timestamp', 'price', 'order_number']) form.delete(name);
        form.set('subscription_id', subscription.id);
        form.set('ended_at', iso(at));
        form.set('ended_reason', 'cancelled');
        form.append('purchase_ids[]', id('plan'));
        return [{ body: form.toString(), headers }];
      },
    },
    answer: ({ id: of }) => {
      const sale = sales.get(of);
      return sale === undefined ? undefined : { success: true, sale: { ...sale } };
    },
    listed: (list) => (list === 'sales' ? [...sales.values()].map((sale) => ({ ...sale })) : []),
    sign: (told) => deliveryOf(told),
  };
}
