/** Timestamps: 24 characters each, so that they sort by time. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, daysAfter, fromTimestamp, toTimestamp } from '../../../src/ground/base/clock.ts';

const MAX_MS = 8.64e15;
const moment = fc.integer({ min: -MAX_MS, max: MAX_MS });

describe('timestamps', () => {
  it('have 24 characters at any time', () => {
    fc.assert(fc.property(moment, (at) => assert.equal(toTimestamp(at).length, 24)));
    for (const at of [MAX_MS + 1, Number.POSITIVE_INFINITY])
      assert.equal(toTimestamp(at), '9999-12-31T23:59:59.999Z', 'what is no date is the last moment, too');
  });

  it('sort as moments do', () => {
    fc.assert(
      fc.property(moment, moment, (one, other) =>
        assert.ok(toTimestamp(Math.min(one, other)) <= toTimestamp(Math.max(one, other))),
      ),
    );
  });

  it('end with the year 9999, however many days are added', () => {
    fc.assert(
      fc.property(moment, fc.nat(4_000_000), (at, days) => {
        const after = daysAfter(fromTimestamp(toTimestamp(at)), days);
        assert.ok(after <= '9999-12-31T23:59:59.999Z' && after >= toTimestamp(at));
      }),
    );
    assert.equal(daysAfter(0, 1), toTimestamp(DAY_MS));
  });
});
