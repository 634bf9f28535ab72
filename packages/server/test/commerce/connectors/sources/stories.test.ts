import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { monthsAfter, type Seller, STEPS, type Step } from '../../../../scripts/shops/sellers/seller.ts';
import { SELLERS } from '../../../../scripts/shops/sellers/sellers.ts';
import type { Fact, Sold } from '../../../../src/commerce/connectors/sources/facts.ts';
import { factKey } from '../../../../src/commerce/connectors/sources/facts.ts';
import { factsTold, leadTo, ofKind } from './told-facts.ts';

const START = Date.UTC(2027, 0, 4, 9, 30, 12);
const DAY_MS = 86_400_000;
const BUYER = { number: 7, email: 'zoe@example.com' };

/** Plays steps, a month apart, and returns all facts, with those of the last step and its moment. */
function play(seller: Seller, steps: readonly Step[]) {
  const all: Fact[] = [];
  let last: readonly Fact[] = [];
  let at = START;
  for (const [index, step] of steps.entries()) {
    at = monthsAfter(START, index);
    last = factsTold(seller, seller.steps[step]!(at), at);
    all.push(...last);
  }
  return { all, last, at };
}

const sale = (facts: readonly Fact[]): Sold => {
  const orders = Map.groupBy(ofKind(facts, 'sold'), ({ order }) => order);
  assert.equal(orders.size, 1, 'one sale');
  const told = [...orders.values()][0]!;
  const sold = told.find(({ subscription }) => subscription !== null) ?? told[0]!;
  const links = ofKind(facts, 'linked').map(({ reference }) => reference);
  const linked = links.find(({ kind }) => kind === 'subscription')?.id ?? null;
  const subscription = sold.subscription ?? linked;
  return { ...sold, subscription, references: told.flatMap(({ references }) => references) };
};

for (const [name, make] of Object.entries(SELLERS)) {
  const has = (...steps: Step[]) => steps.every((step) => make(BUYER).steps[step] !== undefined);

  describe(`the story of a sale at ${name}`, () => {
    it('begins with a sale of two units to the address of the buyer', () => {
      const seller = make(BUYER);
      const { all } = play(seller, ['buy']);
      const sold = sale(all);
      const addresses = [sold.email, ...ofKind(all, 'customer').map(({ email }) => email)];
      assert.ok(addresses.includes(BUYER.email));
      assert.equal(sold.lines.length, 1);
      assert.equal(sold.lines[0]!.quantity, 2);
      assert.equal(sold.lines[0]!.isRecurring, false);
      assert.deepEqual(
        sold.lines[0]!.names.filter(({ by }) => by === seller.once.by),
        [seller.once],
      );
      assert.ok(sold.references.some(({ kind, id }) => kind === 'order' && id === sold.order));
    });

    it('goes on with a refund of a part that leads to the sale, and one of the rest', {
      skip: !has('refundPart'),
    }, () => {
      const part = play(make(BUYER), ['buy', 'refundPart']);
      const [refunded] = ofKind(part.last, 'refunded');
      assert.ok(refunded && leadTo(refunded.of, sale(part.all), part.all));
      assert.equal(refunded.isFull, false);
      const rest = play(make(BUYER), ['buy', 'refundPart', 'refundRest']);
      const [second] = ofKind(rest.last, 'refunded');
      assert.ok(second && leadTo(second.of, sale(rest.all), rest.all));
      const units = ofKind(rest.all, 'refunded').flatMap(({ lines }) => lines ?? []);
      const ended = units.reduce((sum, { quantity }) => sum + (quantity ?? 2), 0);
      assert.ok(second.isFull || ended === 2);
      assert.notEqual(factKey(second), factKey(refunded));
    });

    it('goes on with a dispute that leads to the sale', { skip: !has('dispute') }, () => {
      const { all, last } = play(make(BUYER), ['buy', 'dispute']);
      const [disputed] = ofKind(last, 'disputed');
      assert.ok(disputed && leadTo(disputed.of, sale(all), all));
      assert.equal(disputed.phase, 'opened');
    });

    it('goes on with a dispute that is won', { skip: !has('win') }, () => {
      const { last } = play(make(BUYER), ['buy', 'dispute', 'win']);
      assert.deepEqual(
        ofKind(last, 'disputed').map(({ phase }) => phase),
        ['won'],
      );
    });
  });

  describe(`the story of a subscription at ${name}`, { skip: !has('subscribe') }, () => {
    it('begins with a sale whose period is paid', () => {
      const seller = make(BUYER);
      const { all, at } = play(seller, ['subscribe']);
      const sold = sale(all);
      assert.ok(sold.subscription !== null);
      const ends = [
        ...ofKind(all, 'sold').flatMap(({ lines }) => lines.flatMap(({ period }) => period?.end ?? [])),
        ...ofKind(all, 'paid').map(({ periodEnd }) => periodEnd),
      ];
      assert.ok(ends.length > 0);
      for (const end of ends) assert.ok(Math.abs(end - monthsAfter(at, 1)) < DAY_MS, new Date(end).toISOString());
      assert.ok(sold.lines.some(({ names }) => names.some(({ id }) => id === seller.basic.id)));
      // A shop whose order does not name its subscription does not know that a line comes again.
      const [first] = ofKind(all, 'sold').filter(({ subscription }) => subscription !== null);
      assert.ok(first?.lines.every(({ isRecurring }) => isRecurring) ?? name === 'woocommerce');
    });

    it('goes on with a payment for another month', () => {
      const { all, last, at } = play(make(BUYER), ['subscribe', 'renew']);
      const paid = ofKind(last, 'paid');
      assert.ok(paid.length > 0);
      for (const { periodEnd, subscription } of paid) {
        assert.ok(Math.abs(periodEnd - monthsAfter(at, 1)) < DAY_MS);
        assert.equal(subscription, sale(all).subscription);
      }
      assert.equal(ofKind(last, 'sold').length, 0);
    });

    it('goes on with a refund of that payment, which leads to the subscription', {
      skip: !has('refundRenewal'),
    }, () => {
      const { all, last } = play(make(BUYER), ['subscribe', 'renew', 'refundRenewal']);
      const [refunded] = ofKind(last, 'refunded');
      assert.ok(refunded && leadTo(refunded.of, sale(all), all));
    });

    it('goes on with another plan, whose change pays no further month', { skip: !has('changePlan') }, () => {
      const seller = make(BUYER);
      const { last } = play(seller, ['subscribe', 'changePlan']);
      const [changed] = ofKind(last, 'subscription').slice(-1);
      assert.ok(changed?.lines.some(({ names }) => names.some(({ id }) => id === seller.pro.id)));
      for (const { periodEnd } of ofKind(last, 'paid')) assert.ok(periodEnd <= monthsAfter(START, 1) + DAY_MS);
    });

    it('goes on with a pause and its end', { skip: !has('pause', 'resume') }, () => {
      const paused = play(make(BUYER), ['subscribe', 'pause']);
      assert.equal(ofKind(paused.last, 'subscription').at(-1)?.state, 'paused');
      const resumed = play(make(BUYER), ['subscribe', 'pause', 'resume']);
      assert.equal(ofKind(resumed.last, 'subscription').at(-1)?.state, 'active');
    });

    it('ends', { skip: !has('end') }, () => {
      const { last, at } = play(make(BUYER), ['subscribe', 'end']);
      const ended = ofKind(last, 'subscription').at(-1);
      assert.equal(ended?.state, 'ended');
      assert.ok(ended.until === null || Math.abs(ended.until - at) <= 1000);
    });
  });

  describe(`an event of ${name}`, () => {
    it('is known by its id, and translated alike each time', () => {
      const seller = make(BUYER);
      const ids = new Map<string, string>();
      for (const [index, step] of STEPS.entries())
        for (const told of seller.steps[step]?.(monthsAfter(START, index)) ?? []) {
          const delivery = seller.sign(told, START);
          const [one, other] = [seller.source.events(delivery), seller.source.events(delivery)];
          assert.deepEqual(one, other);
          for (const { sellerEventId, body } of one) {
            assert.ok(sellerEventId.length <= 255);
            assert.equal(ids.get(sellerEventId) ?? body, body);
            ids.set(sellerEventId, body);
          }
          assert.deepEqual(factsTold(seller, [told], START), factsTold(seller, [told], START));
        }
      assert.ok(ids.size >= 3);
    });
  });
}
