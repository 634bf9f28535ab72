import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gumroadSeller } from '../../../../scripts/shops/sellers/gumroad.ts';
import { gumroad } from '../../../../src/commerce/connectors/sources/gumroad.ts';
import { NOTHING_KNOWN, ofKind } from './told-facts.ts';

const delivery = (body: string) => ({ body: Buffer.from(body), headers: {} });
const ping = (body: string) => gumroad.events(delivery(body))[0]!;
const sale = {
  id: 'sale_1',
  created_at: '2027-01-31T09:30:00Z',
  email: 'zoe@example.com',
  product_id: 'prod_1',
  price: 500,
  quantity: 1,
  subscription_id: 'sub_1',
  subscription_duration: 'monthly',
};
const factsOf = (more: object) => {
  const known = { ...NOTHING_KNOWN, lookedUp: () => ({ success: true, sale: { ...sale, ...more } }) };
  const translated = gumroad.facts(ping('sale_id=sale_1&email=thief%40example.com'), known);
  assert.ok('facts' in translated, JSON.stringify(translated));
  return translated.facts;
};

describe('a ping of Gumroad', () => {
  it('says nothing by itself: its sale is read back', () => {
    const translated = gumroad.facts(ping('sale_id=sale_1&email=thief%40example.com&refunded=true'), NOTHING_KNOWN);
    assert.deepEqual(translated, { facts: [], needs: [{ what: 'sale', id: 'sale_1' }] });
    assert.equal(ofKind(factsOf({}), 'sold')[0]?.email, 'zoe@example.com');
  });

  it('has the same id when it comes again, whatever the order of its fields', () => {
    const first = ping('sale_id=sale_1&price=5').sellerEventId;
    assert.equal(ping('retry_count=2&price=5&sale_id=sale_1').sellerEventId, first);
    assert.notEqual(ping('sale_id=sale_1&price=6').sellerEventId, first);
  });

  it('marks a real sale that the vendor sends again as a test', () => {
    assert.equal(ping('sale_id=sale_1&test=true').isTest, true);
    assert.equal(ping('sale_id=sale_1').isTest, null);
  });

  it('that asks for a path of its own choice gets it escaped', () => {
    const id = '../../user?x=/v2';
    assert.equal(gumroad.lookUps!.pathOf({ what: 'sale', id }), `/v2/sales/${encodeURIComponent(id)}`);
  });
});

describe('a sale of Gumroad', () => {
  it('is paid for calendar months, and a day that a month lacks is its last', () => {
    const end = (subscription_duration: string) =>
      ofKind(factsOf({ subscription_duration }), 'sold')[0]?.lines[0]?.period?.end;
    assert.equal(end('monthly'), Date.UTC(2027, 1, 28, 9, 30));
    assert.equal(end('yearly'), Date.UTC(2028, 0, 31, 9, 30));
    assert.equal(end('every_two_years'), Date.UTC(2029, 0, 31, 9, 30));
  });

  it('that was given is for its receiver', () => {
    assert.equal(ofKind(factsOf({ giftee_email: 'ada@example.com' }), 'sold')[0]?.email, 'ada@example.com');
  });

  it('tells its refund, dispute, key and end at once', () => {
    const all = factsOf({
      refunded: true,
      disputed: true,
      dispute_won: true,
      license_key: 'A-1',
      license_disabled: true,
      ended: true,
    });
    assert.deepEqual(
      all.map(({ fact }) => fact),
      ['sold', 'refunded', 'disputed', 'disputed', 'theirKey', 'subscription'],
    );
    assert.equal(ofKind(all, 'theirKey')[0]?.isDisabled, true);
    assert.equal(ofKind(factsOf({ recurring_charge: true, refunded: true }), 'refunded')[0]?.payment, 'later');
  });

  it('names its variants in the order of their categories', () => {
    const [sold] = ofKind(factsOf({ variants: { Tier: 'Pro', Size: 'Big' } }), 'sold');
    assert.deepEqual(sold?.lines[0]?.names[0], { by: 'variant', id: 'prod_1 (Size: Big, Tier: Pro)' });
  });

  it('with a recurrence that is not known is a person’s to read', () => {
    const known = { ...NOTHING_KNOWN, lookedUp: () => ({ sale: { ...sale, subscription_duration: 'weekly' } }) };
    assert.deepEqual(gumroad.facts(ping('sale_id=sale_1'), known), { unknownShape: 'sale.subscription_duration' });
  });
});

describe('catching up at Gumroad', () => {
  it('reads sales as the API tells them', () => {
    const seller = gumroadSeller({ number: 1, email: 'zoe@example.com' });
    const now = Date.UTC(2027, 0, 4);
    seller.steps.buy!(now);
    const { sale: sold } = seller.answer({ what: 'sale', id: 'order-dvxYabdavG97Y-Q1==' }) as { sale: object };
    const list = gumroad.lookUps!.catchUp[0]!;
    assert.equal(list.first(now), '/v2/sales?after=2027-01-03');
    const read = list.read({ success: true, sales: [sold], next_page_url: '/v2/sales?page_key=2' }, now);
    assert.equal(read?.next, '/v2/sales?page_key=2');
    const elsewhere = list.read({ sales: [], next_page_url: '@example.com/v2/sales?page_key=2' }, now);
    assert.equal(elsewhere?.next, null, 'the access token goes to the API only');
    const translated = gumroad.facts(read.events[0]!, NOTHING_KNOWN);
    assert.ok('facts' in translated && translated.needs.length === 0);
    assert.equal(ofKind(translated.facts, 'sold')[0]?.lines[0]?.quantity, 2);
  });
});
