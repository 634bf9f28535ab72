/** Cursors of lists. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { toTimestamp } from '../../src/ground/base/clock.ts';
import {
  cursorAfter,
  cursorOf,
  LEVEL_FORM,
  NEWEST,
  readCursor,
  readPosition,
  TEXT_FORM,
} from '../../src/platform/endpoint/page.ts';
import { isRefusal, statusOf } from '../../src/platform/endpoint/refusals.ts';
import { moment } from './arbitraries.ts';

/** Identifiers may be any text that a database can store. */
const id = fc.string({ unit: 'binary', minLength: 1 }).filter((text) => text.isWellFormed() && !text.includes('\0'));

describe('a cursor', () => {
  it('leads back to the entry it was made for', () => {
    fc.assert(
      fc.property(moment, id, (created, identifier) => {
        const cursor = { createdAt: toTimestamp(created), id: identifier };
        assert.deepEqual(readCursor(cursorAfter(cursor)), cursor);
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

  it('that is any text at all is read or refused with 400', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string().map((text) => Buffer.from(text).toString('base64url')),
    );
    fc.assert(
      fc.property(anything, (given) => {
        const cursor = readCursor(given);
        if (isRefusal(cursor)) assert.equal(statusOf(cursor.refused), 400);
        else assert.ok(cursor.id.isWellFormed() && !cursor.id.includes('\0') && cursor.createdAt.length === 24);
      }),
    );
  });

  it('that holds no list of storable texts is refused with 400', () => {
    for (const values of [['a', 'b'], [2, 'b'], ['2', '\0'], ['2', null], ['2'], ['2', 'b', 'c'], '2', 2, {}, null]) {
      const cursor = Buffer.from(JSON.stringify(values)).toString('base64url');
      const position = readPosition(cursor, [LEVEL_FORM, TEXT_FORM]);
      if (!isRefusal(position)) assert.fail(cursor);
      assert.equal(statusOf(position.refused), 400);
    }
    assert.deepEqual(readPosition(cursorOf(['2', 'b']), [LEVEL_FORM, TEXT_FORM]), ['2', 'b']);
  });

  it('that is absent begins before the newest entry', () => {
    assert.deepEqual(readCursor(undefined), NEWEST);
    fc.assert(fc.property(moment, (created) => assert.ok(toTimestamp(created) < NEWEST.createdAt)));
  });
});
