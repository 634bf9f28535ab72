/** FastSpring's stand-in, with webhook expansion: several events in a request. */
import { createHmac, hash } from 'node:crypto';
import { fastSpring } from '../../../src/commerce/connectors/sources/fastspring.ts';
import { type Buyer, deliveryOf, monthsAfter, type Seller, type Told } from './seller.ts';

const [ONCE, BASIC, PRO] = ['studio', 'studio-basic', 'studio-pro'] as const;

/** A FastSpring store with one buyer. */
export function fastSpringSeller({ number, email }: Buyer): Seller {
  const secret = 'a hmac secret of the vendor';
  const id = (name: string) => `${name}Hx4${number}`;
  const subscription = { path: BASIC as string, end: 0, charges: 0 };
  let events = 0;

  const tell = (at: number, ...told: readonly (readonly [type: string, data: object])[]): Told => {
    const all = told.map(([type, data]) => {
      events += 1;
      return { id: id(`evt${events}`), processed: false, created: at, type, live: true, data };
    });
    return { body: JSON.stringify({ events: all }), headers: {} };
  };

  const account = () => ({
    id: id('account'),
    contact: { first: 'Zoë', last: 'Buyer', email, company: null },
    language: 'de',
  });

  const subscriptionObject = (state: string, at: number) => ({
    id: id('subscription'),
    subscription: id('subscription'),
    active: state !== 'deactivated',
    state,
    changed: at,
    live: true,
    currency: 'EUR',
    account: account(),
    product: { product: subscription.path, parent: null, display: { en: 'Studio' } },
    sku: null,
    quantity: 3,
    autoRenew: true,
    price: 27.0,
    next: subscription.end,
    deactivationDate: state === 'deactivated' ? at : null,
  });

  const order = (name: string, items: readonly object[]) => ({
    order: id(name),
    id: id(name),
    reference: `VEN250101-${number}-${name}`,
    completed: true,
    language: 'de',
    live: true,
    currency: 'EUR',
    payoutCurrency: 'USD',
    account: account(),
    total: 98.0,
    tax: 15.65,
    subtotal: 82.35,
    customer: { first: 'Zoë', last: 'Buyer', email, company: null, phone: null },
    items,
    tags: { latchkey_variant: 'what the buyer likes' },
  });

  const item = (product: string, quantity: number, more: object = {}) => ({
    product,
    quantity,
    display: 'Studio',
    sku: null,
    subtotal: 82.35,
    discount: 0,
    attributes: {},
    ...more,
  });

  const returned = (name: string, quantity: number) => ({
    return: id(name),
    reference: `VEN250102-${number}`,
    completed: true,
    live: true,
    currency: 'EUR',
    account: account(),
    total: -49,
    totalReturn: 49.0,
    original: order('order', []),
    items: [{ return: id(name), product: ONCE, quantity, subtotal: 41.18 }],
    reason: 'OTHER',
    type: 'RETURN',
  });

  const charge = (at: number, items: readonly object[]) => {
    subscription.charges += 1;
    return {
      order: order(`charge${subscription.charges}`, items),
      currency: 'EUR',
      total: 27.0,
      status: 'successful',
      timestamp: at,
      subscription: subscriptionObject('active', at),
      account: account(),
    };
  };

  return {
    source: fastSpring,
    secret,
    once: { by: 'path', id: ONCE },
    basic: { by: 'path', id: BASIC },
    pro: { by: 'path', id: PRO },
    apiKey: null,
    steps: {
      buy: (at) => [tell(at, ['account.created', account()], ['order.completed', order('order', [item(ONCE, 2)])])],
      refundPart: (at) => [tell(at, ['return.created', returned('return1', 1)])],
      refundRest: (at) => [tell(at, ['return.created', returned('return2', 1)])],
      subscribe: (at) => {
        subscription.end = monthsAfter(at, 1);
        const bought = item(BASIC, 3, { subscription: subscriptionObject('active', at) });
        const activated = ['subscription.activated', subscriptionObject('active', at)] as const;
        return [tell(at, activated, ['order.completed', order('plan', [bought])])];
      },
      renew: (at) => {
        subscription.end = monthsAfter(at, 1);
        return [tell(at, ['subscription.charge.completed', charge(at, [item(subscription.path, 3)])])];
      },
      changePlan: (at) => {
        subscription.path = PRO;
        const prorated = item(PRO, 3, { proratedItemChangeAmount: 4.2, proratedItemProratedCharge: 9.1 });
        const updated = ['subscription.updated', subscriptionObject('active', at)] as const;
        return [tell(at, updated, ['subscription.charge.completed', charge(at, [prorated])])];
      },
      pause: (at) => [tell(at, ['subscription.paused', subscriptionObject('paused', at)])],
      resume: (at) => {
        subscription.end = monthsAfter(at, 1);
        return [tell(at, ['subscription.resumed', subscriptionObject('active', at)])];
      },
      end: (at) => [tell(at, ['subscription.deactivated', subscriptionObject('deactivated', at)])],
    },
    answer: () => undefined,
    sign: (told, _now, key = secret) =>
      deliveryOf(told, { 'x-fs-signature': createHmac('sha256', key).update(told.body).digest('base64') }),
  };
}

/** A license request with its hash, as FastSpring makes it while it fulfills an order. */
export function licenseRequest(fields: Readonly<Record<string, string>>, privateKey: string): URLSearchParams {
  const values = Object.keys(fields)
    .sort()
    .map((name) => fields[name])
    .join('');
  return new URLSearchParams({ ...fields, security_request_hash: hash('md5', values + privateKey) });
}
