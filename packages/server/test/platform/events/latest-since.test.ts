/** The latest change of a thing since a recorded one: a bounded number of events is read along an index. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '../../../src/ground/base/clock.ts';
import { latestSince } from '../../../src/platform/events/latest-since.ts';
import { engines } from '../../support/databases.ts';
import { countedEvents, eventAt, insertAll } from './events-of-rows.ts';

const NOW = systemClock();
/** Of the thing; there are as many of another one. */
const EVENTS = 2001;
const MAX_FOUND = 2000;
/** A page of events, and one more. */
const FEW_ROWS = 202;
const FILTER = { productIds: ['tape'], types: ['variant.updated'], subject: 'tape-indie' } as const;

for (const engine of engines)
  describe(`the latest change since another one on ${engine}`, () => {
    const stored = Array.from({ length: 2 * EVENTS }, (_, index) =>
      eventAt(NOW + index, {
        type: 'variant.updated',
        productId: 'tape',
        subject: index % 2 === 0 ? 'tape-indie' : 'tape-studio',
        after: { price: index },
      }),
    );
    /** The events of the thing, the last one first. */
    const [last, ...earlier] = stored.filter(({ subject }) => subject === 'tape-indie').toReversed();
    const { counting } = countedEvents(engine, (storage) => insertAll(storage, stored));

    const since = (eventId: string, isMeant = () => true) => latestSince(counting.sql, FILTER, eventId, isMeant);

    it('is the last one that is meant, of the thing alone, and null after the last', async () => {
      assert.equal((await since(earlier[0]!.eventId))?.eventId, last!.eventId);
      assert.equal(await since(earlier[0]!.eventId, () => false), null);
      counting.done();
      assert.equal(await since(last!.eventId), null);
      const { rows } = counting.done();
      assert.ok(rows <= FEW_ROWS, `${rows} rows`);
    });

    it(`is known for the last ${MAX_FOUND} events of the thing`, async () => {
      assert.equal((await since(earlier[MAX_FOUND - 2]!.eventId))?.eventId, last!.eventId);
      assert.equal(await since(earlier[MAX_FOUND - 1]!.eventId), undefined);
      assert.equal(await since(stored.at(-1)!.eventId), undefined, 'an event of another thing');
    });
  });
