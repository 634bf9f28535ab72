/** A sliding limit never lets more through than it permits, in any window of time. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HOUR_MS, MINUTE_MS } from '../../src/ground/base/clock.ts';
import { countsAfter, endOfCounts, pauseSeconds, type RecentCounts } from '../../src/ground/base/recent-counts.ts';

const START = 1_000_000 * MINUTE_MS;
const steps = fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 200 });

describe('counts of a minute', () => {
  it('let no window have more than the limit, and refuse nobody whose window has room', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), steps, (limit, waits) => {
        let [counts, now]: [RecentCounts, number] = [[], START];
        const passed: number[] = [];
        for (const wait of waits) {
          now += wait;
          const pause = pauseSeconds(counts, { max: limit, windowMs: MINUTE_MS }, now);
          const inWindow = passed.filter((at) => now - at < MINUTE_MS).length;
          const inWindowAndPart = passed.filter((at) => now - at < MINUTE_MS + 1000).length;
          if (inWindow >= limit) assert.notEqual(pause, null);
          if (inWindowAndPart < limit) assert.equal(pause, null);
          if (pause !== null) continue;
          counts = countsAfter(counts, { windowMs: MINUTE_MS }, now);
          passed.push(now);
        }
        assert.ok(counts.length <= 61);
      }),
    );
  });

  it('are refused for as many seconds as they say, and no longer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), steps, (limit, waits) => {
        let [counts, now]: [RecentCounts, number] = [[], START];
        for (const wait of waits) {
          now += wait;
          counts = countsAfter(counts, { windowMs: MINUTE_MS }, now);
          const pause = pauseSeconds(counts, { max: limit, windowMs: MINUTE_MS }, now);
          if (pause === null) continue;
          assert.equal(pauseSeconds(counts, { max: limit, windowMs: MINUTE_MS }, now + pause * 1000), null);
          if (pause > 1)
            assert.notEqual(pauseSeconds(counts, { max: limit, windowMs: MINUTE_MS }, now + (pause - 1) * 1000), null);
        }
      }),
    );
  });

  it('stay few, with any number of additions by any clock', () => {
    const jumps = fc.array(fc.integer({ min: -200_000, max: 200_000 }), { maxLength: 300 });
    fc.assert(
      fc.property(jumps, (waits) => {
        let [counts, now]: [RecentCounts, number] = [[], START];
        for (const wait of waits) {
          now += wait;
          counts = countsAfter(counts, { windowMs: MINUTE_MS }, now);
        }
        assert.ok(counts.length <= 121);
      }),
    );
  });

  it('forget counts by a clock more than a window ahead', () => {
    const ahead = countsAfter([], { windowMs: MINUTE_MS }, START + 62_000);
    assert.equal(pauseSeconds(ahead, { max: 1, windowMs: MINUTE_MS }, START), null);
    assert.notEqual(pauseSeconds(ahead, { max: 1, windowMs: MINUTE_MS }, START + 62_000), null);
  });

  it('take several at once, if all of them fit', () => {
    const allowance = { max: 5, windowMs: MINUTE_MS };
    const counts = countsAfter([], allowance, START, 3);
    assert.equal(pauseSeconds(counts, allowance, START, 2), null);
    assert.equal(pauseSeconds(counts, allowance, START, 3), 61);
    assert.equal(pauseSeconds([], allowance, START, 6), 60, 'never, so a window');
  });
});

describe('counts of an hour', () => {
  const HOURLY = { max: 1, windowMs: HOUR_MS };

  it('forget what a clock more than five minutes ahead counted', () => {
    const ahead = START + 20 * HOUR_MS;
    const counts = countsAfter([], HOURLY, ahead);
    assert.equal(pauseSeconds(counts, HOURLY, START), null);
    assert.equal(pauseSeconds(counts, HOURLY, ahead - 5 * MINUTE_MS - 1), null);
    assert.notEqual(pauseSeconds(counts, HOURLY, ahead - 5 * MINUTE_MS), null);
    assert.deepEqual(countsAfter(counts, HOURLY, START), countsAfter([], HOURLY, START), 'nothing of it stays');
  });

  it('end to the millisecond where each moment has an entry', () => {
    const exact = { max: 2, windowMs: HOUR_MS, partMs: 1 };
    const now = START + 123;
    const counts = countsAfter(countsAfter([], exact, now), exact, now + 7_000);
    assert.equal(pauseSeconds(counts, exact, now + 10_000), 3_590);
    assert.equal(pauseSeconds(counts, exact, now + HOUR_MS - 1), 1);
    assert.equal(pauseSeconds(counts, exact, now + HOUR_MS), null);
    assert.equal(endOfCounts(exact, now), now + HOUR_MS);
  });
});
