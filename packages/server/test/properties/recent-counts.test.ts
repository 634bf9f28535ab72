/** A sliding limit never lets more through than it permits, in any window of time. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MINUTE_MS } from '../../src/ground/base/clock.ts';
import { countsAfter, pauseSeconds, type RecentCounts } from '../../src/ground/base/recent-counts.ts';

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
          const pause = pauseSeconds(counts, limit, now, MINUTE_MS);
          const inWindow = passed.filter((at) => now - at < MINUTE_MS).length;
          const inWindowAndPart = passed.filter((at) => now - at < MINUTE_MS + 1000).length;
          if (inWindow >= limit) assert.notEqual(pause, null);
          if (inWindowAndPart < limit) assert.equal(pause, null);
          if (pause !== null) continue;
          counts = countsAfter(counts, now, MINUTE_MS);
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
          counts = countsAfter(counts, now, MINUTE_MS);
          const pause = pauseSeconds(counts, limit, now, MINUTE_MS);
          if (pause === null) continue;
          assert.equal(pauseSeconds(counts, limit, now + pause * 1000, MINUTE_MS), null);
          if (pause > 1) assert.notEqual(pauseSeconds(counts, limit, now + (pause - 1) * 1000, MINUTE_MS), null);
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
          counts = countsAfter(counts, now, MINUTE_MS);
        }
        assert.ok(counts.length <= 121);
      }),
    );
  });

  it('forget counts by a clock more than a window ahead', () => {
    const ahead = countsAfter([], START + 62_000, MINUTE_MS);
    assert.equal(pauseSeconds(ahead, 1, START, MINUTE_MS), null);
    assert.notEqual(pauseSeconds(ahead, 1, START + 62_000, MINUTE_MS), null);
  });
});
