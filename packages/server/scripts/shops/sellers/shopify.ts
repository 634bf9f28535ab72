/** Shopify's stand-in: an order, refunds by line, and a dispute; with the older or the newer names of headers. */
import { createHmac } from 'node:crypto';
import { shopify } from '../../../src/commerce/connectors/sources/shopify.ts';
import { type Buyer, deliveryOf, iso, type Seller, type Told } from './seller.ts';

export const SHOPIFY_HEADERS = ['x-shopify-', 'shopify-'] as const;
const ONCE = 808_950_810;

/** A Shopify shop with one buyer. */
export function shopifySeller(
  { number, email }: Buyer,
  prefix: (typeof SHOPIFY_HEADERS)[number] = 'x-shopify-',
): Seller {
  const secret = 'hush_5f1d9d35f1e94a1c8a7b';
  const order = 820_982_911_946_154_000 / 1000 + number;
  const line = 466_157_049 + number;
  let events = 0;

  const tell = (topic: string, at: number, body: object): Told => {
    events += 1;
    return {
      body: JSON.stringify(body),
      headers: {
        [`${prefix}topic`]: topic,
        [`${prefix}webhook-id`]: `b54557e4-bdd9-4b37-8a5f-${number}-${events}`,
        [`${prefix}shop-domain`]: 'vendor.myshopify.com',
        [`${prefix}api-version`]: '2026-10',
        [`${prefix}triggered-at`]: iso(at),
      },
    };
  };

  const orderObject = (at: number) => ({
    id: order,
    admin_graphql_api_id: `gid://shopify/Order/${order}`,
    checkout_token: `bd5a8aa1ecd019dd3520ff791ee3a24${number}`,
    contact_email: email,
    created_at: iso(at),
    currency: 'USD',
    customer: { id: 115_310_627 + number, email, first_name: 'Zoë', last_name: 'Buyer' },
    customer_locale: 'de-AT',
    email,
    financial_status: 'paid',
    name: '#1001',
    note_attributes: [{ name: 'latchkey_variant', value: 'what the buyer likes' }],
    processed_at: iso(at),
    test: false,
    total_price: '98.00',
    updated_at: iso(at),
    line_items: [
      {
        id: line,
        price: '49.00',
        product_id: 632_910_392,
        properties: [],
        quantity: 2,
        sku: 'STUDIO',
        title: 'Studio',
        total_discount: '0.00',
        variant_id: ONCE,
      },
    ],
  });

  const refund = (name: number, at: number) => ({
    id: 509_562_969 + number * 10 + name,
    order_id: order,
    created_at: iso(at),
    note: null,
    refund_line_items: [{ id: 1, line_item_id: line, quantity: 1, subtotal: 49.0, total_tax: 0 }],
    transactions: [{ id: 2, amount: '49.00', currency: 'USD', kind: 'refund', status: 'success' }],
    order_adjustments: [],
  });

  const dispute = (status: string, at: number) => ({
    id: 285_332_461 + number,
    order_id: order,
    type: 'chargeback',
    amount: '98.00',
    currency: 'USD',
    reason: 'fraudulent',
    status,
    initiated_at: iso(at),
    finalized_on: null,
  });

  return {
    source: shopify,
    secret,
    once: { by: 'variant', id: String(ONCE) },
    basic: { by: 'variant', id: String(ONCE + 1) },
    pro: { by: 'variant', id: String(ONCE + 2) },
    apiKey: null,
    steps: {
      buy: (at) => [tell('orders/create', at, orderObject(at)), tell('orders/paid', at, orderObject(at))],
      refundPart: (at) => [tell('refunds/create', at, refund(1, at))],
      refundRest: (at) => [tell('refunds/create', at, refund(2, at))],
      dispute: (at) => [tell('disputes/create', at, dispute('needs_response', at))],
      win: (at) => [tell('disputes/update', at, dispute('won', at))],
    },
    answer: () => undefined,
    sign: (told, _now, key = secret) =>
      deliveryOf(told, { [`${prefix}hmac-sha256`]: createHmac('sha256', key).update(told.body).digest('base64') }),
  };
}
