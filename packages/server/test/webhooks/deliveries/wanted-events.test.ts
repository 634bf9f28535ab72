/** The filter of the feed: every event that fits a destination is read (rules 12.1). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventTypes } from '../../../src/platform/events/event-types.ts';
import { Interest, wantedBy } from '../../../src/webhooks/deliveries/wanted-events.ts';
import { matches } from '../../../src/webhooks/destinations/sendable.ts';
import { randomOf } from '../../faults/random.ts';

const PRODUCTS = ['paint', 'draw', 'write', null] as const;
const CREATORS = ['ada', 'grace', null] as const;
const SELECTIONS = [
  '*',
  'license.*',
  'license.created',
  'product.updated',
  'destination.failing',
  'settings.*',
] as const;

describe('the events that the sender reads', () => {
  it('are those that fit a destination, whatever the settings of the destinations', () => {
    const random = randomOf(7);
    const oneOf = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;
    let fitting = 0;
    for (let round = 0; round < 6_000; round++) {
      const destinations = Array.from({ length: random(3) }, (_, number) => ({
        destinationId: `dst_${number}`,
        creatorId: oneOf(CREATORS),
        types: Array.from({ length: 1 + random(2) }, () => oneOf(SELECTIONS)),
        productIds: oneOf([null, [oneOf(PRODUCTS.slice(0, 3) as string[])]]),
      }));
      const productId = oneOf(PRODUCTS);
      const creatorId = oneOf(CREATORS);
      const event = { type: oneOf(eventTypes), productId, creatorId: creatorId ?? '', subject: 'x', licenseKey: null };
      const owners = new Map(productId === null || creatorId === null ? [] : [[productId, creatorId]]);
      const { types, of } = wantedBy(destinations);
      const isRead =
        (types === null || types.includes(event.type)) &&
        (of === null || of.productIds.includes(productId ?? '') || of.creatorIds.includes(event.creatorId));
      const fits = destinations.some((each) => matches(each as never, event as never, owners));
      if (fits) fitting += 1;
      assert.ok(isRead || !fits, JSON.stringify({ destinations, event }));
    }
    assert.ok(fitting > 300, `${fitting} events fit a destination`);
  });

  it('are those of the destinations that were added and not removed', () => {
    const interest = new Interest();
    const ofProduct = { creatorId: null, types: ['license.created'], productIds: ['paint'] };
    const ofCreator = { creatorId: 'ada', types: ['license.created', 'product.updated'], productIds: null };
    const ofAll = { creatorId: null, types: ['*'], productIds: null };
    for (const each of [ofProduct, ofProduct, ofCreator, ofAll]) interest.add(each);
    assert.deepEqual(interest.wanted, { types: null, of: null });
    interest.remove(ofAll);
    const of = { productIds: ['paint'], creatorIds: ['ada'] };
    assert.deepEqual(new Set(interest.wanted.types), new Set(['license.created', 'product.updated']));
    assert.deepEqual(interest.wanted.of, of);
    interest.remove(ofProduct);
    assert.deepEqual(interest.wanted.of, of, 'another destination names the product');
    interest.remove(ofCreator);
    assert.deepEqual(interest.wanted, {
      types: ['license.created'],
      of: { productIds: ['paint'], creatorIds: [] },
    });
    interest.remove(ofProduct);
    assert.deepEqual(interest.wanted, { types: [], of: { productIds: [], creatorIds: [] } });
  });

  it('are all events of the wanted types where destinations name more products than an event is compared with', () => {
    const of = (products: number) => ({
      ...{ creatorId: null, types: ['license.created'] },
      productIds: Array.from({ length: products }, (_, number) => `product-${number}`),
    });
    assert.deepEqual(wantedBy([of(2)]), {
      types: ['license.created'],
      of: { productIds: ['product-0', 'product-1'], creatorIds: [] },
    });
    assert.deepEqual(wantedBy([of(101)]), { types: ['license.created'], of: null });
  });
});
