/** Cursors of lists. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { toTimestamp } from '../../src/clock.ts';
import { cursorAfter, NEWEST, placeOf } from '../../src/endpoint/page.ts';
import { isRefusal, statusOf } from '../../src/refusals.ts';
import { moment } from './arbitraries.ts';

/** What an identifier may hold: any text that a database can. */
const id = fc.string({ unit: 'binary', minLength: 1 }).filter((text) => text.isWellFormed() && !text.includes('\0'));

describe('a cursor', () => {
  it('leads back to the place it was made for', () => {
    fc.assert(
      fc.property(moment, id, (created, identifier) => {
        const place = { createdAt: toTimestamp(created), id: identifier };
        assert.deepEqual(placeOf(cursorAfter(place)), place);
      }),
    );
  });

  it('fits into a query string as it is', () => {
    fc.assert(
      fc.property(moment, id, (created, identifier) => {
        const cursor = cursorAfter({ createdAt: toTimestamp(created), id: identifier });
        assert.equal(encodeURIComponent(cursor), cursor);
      }),
    );
  });

  it('that is any text at all is a place in a list or refused with 400', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string().map((text) => Buffer.from(text).toString('base64url')),
    );
    fc.assert(
      fc.property(anything, (given) => {
        const place = placeOf(given);
        if (isRefusal(place)) assert.equal(statusOf(place.refused), 400);
        else assert.ok(place.id.isWellFormed() && !place.id.includes('\0') && place.createdAt.length === 24);
      }),
    );
  });

  it('that is absent begins before the newest entry', () => {
    assert.deepEqual(placeOf(undefined), NEWEST);
    fc.assert(fc.property(moment, (created) => assert.ok(toTimestamp(created) < NEWEST.createdAt)));
  });
});
