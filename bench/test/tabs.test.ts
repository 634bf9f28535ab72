/** The schedule of tabs of the console beside a measurement. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RecordedCall, Round } from '../src/tab-round.ts';
import { callsBetween } from '../src/visit-schedule.ts';

const callAt = (atMs: number): RecordedCall => ({ atMs, path: `/${atMs}`, body: '{}' });
const ROUND: Round = { lengthMs: 120_000, headers: {}, calls: [0, 0, 500, 15_000, 119_999].map(callAt) };

/** The calls of three tabs in consecutive spans of time. */
function callsIn(spanMs: number, untilMs: number) {
  const spans: ReturnType<typeof callsBetween>[] = [];
  for (let fromMs = 0; fromMs < untilMs; fromMs += spanMs)
    spans.push(callsBetween(3, ROUND, fromMs, Math.min(fromMs + spanMs, untilMs)));
  return spans;
}

describe('the schedule of tabs', () => {
  it('has each call of the round once for each tab in the time of a round', () => {
    for (const spanMs of [20, 137, 40_000]) {
      const calls = callsIn(spanMs, 2 * ROUND.lengthMs).flat();
      assert.equal(calls.length, 2 * 3 * ROUND.calls.length);
      for (const tab of [0, 1, 2])
        for (const call of ROUND.calls)
          assert.equal(calls.filter((each) => each.tab === tab && each.call === call).length, 2);
    }
  });

  it('has every call of the round in each third of its time, from one of three tabs', () => {
    for (const calls of callsIn(40_000, 2 * ROUND.lengthMs))
      assert.deepEqual(
        calls.map(({ call }) => call.atMs).toSorted((a, b) => a - b),
        [0, 0, 500, 15_000, 119_999],
      );
  });
});
