/** The words of the advice about a clock that is not believed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS, toTimestamp } from '../../../src/ground/base/clock.ts';
import { clockAdvice } from '../../../src/platform/believed-time/advice.ts';

const BELIEVED = Date.UTC(2027, 0, 31);

describe('the advice about a clock', () => {
  for (const [ms, length] of [
    [MINUTE_MS, '1 minute'],
    [2 * HOUR_MS - MINUTE_MS, '119 minutes'],
    [2 * HOUR_MS, '2 hours'],
    [2 * DAY_MS - HOUR_MS, '47 hours'],
    [2 * DAY_MS, '2 days'],
    [400 * DAY_MS, '400 days'],
  ] as const)
    it(`calls a distance from the believed time ${length}, ahead and behind`, () => {
      for (const [doubt, at, direction] of [
        ['ahead', BELIEVED + ms, 'ahead of'],
        ['behind', BELIEVED - ms, 'behind'],
      ] as const) {
        const advice = clockAdvice({ doubt, at, believedAt: toTimestamp(BELIEVED), believedFrom: null, jumpMs: 0 });
        assert.ok(
          advice?.includes(`, which is ${length} ${direction} the last believed time (2027-01-31`),
          `${advice}`,
        );
      }
    });
});
