/** Timestamps: 24 characters each, so that they sort by time. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, daysAfter, endOf, fromTimestamp, momentOf, toTimestamp } from '../../../src/ground/base/clock.ts';

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

describe('a given moment', () => {
  /** A moment of the years 0 to 9999, as services store it. */
  const stored = fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }).map(toTimestamp);

  it('is read as ISO 8601, PHP and databases write it', () => {
    for (const [given, read] of [
      ['2027-05-31T10:00Z', '2027-05-31T10:00:00.000Z'],
      ['2027-05-31T10:00:00+0000', '2027-05-31T10:00:00.000Z'],
      ['2027-05-31T10:00:00-0530', '2027-05-31T15:30:00.000Z'],
      ['2027-05-31 10:00:00', '2027-05-31T10:00:00.000Z'],
      ['2027-05-31 10:00:00.25+02', '2027-05-31T08:00:00.250Z'],
      ['2027-05-31 10:00:00 +0200', '2027-05-31T08:00:00.000Z'],
    ] as const) {
      assert.equal(momentOf(given), read, given);
      assert.equal(endOf(given), read, given);
    }
  });

  it('is refused in another form, and on a day that does not exist', () => {
    for (const given of [
      '',
      '2027-02-30',
      '2027-02-29',
      '31.05.2027',
      '2027-05-31T',
      '2027-05-31 (noon)',
      '1 May 2027',
    ]) {
      assert.equal(momentOf(given), null, given);
      assert.equal(endOf(given), null, given);
    }
  });

  it('without a time begins its day as a build, and ends it as an end; with a time it is one moment', () => {
    fc.assert(
      fc.property(stored, (at) => {
        const day = at.slice(0, 10);
        assert.deepEqual([momentOf(day), endOf(day)], [`${day}T00:00:00.000Z`, `${day}T23:59:59.999Z`]);
        for (const given of [
          at,
          at.slice(0, -1),
          at.replace('T', ' '),
          at.replace('Z', '+0000'),
          at.replace('Z', '+00'),
        ])
          assert.deepEqual([momentOf(given), endOf(given)], [at, at], given);
      }),
    );
  });
});
