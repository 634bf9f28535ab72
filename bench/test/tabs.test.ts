/** The schedule of tabs of the console beside a measurement. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RecordedCall, Round } from '../src/tab-round.ts';
import { callsBetween } from '../src/visit-schedule.ts';

const ROUND: Round = {
  lengthMs: 120_000,
  headers: {},
  calls: Array.from({ length: 46 }, (_, number) => ({ path: `/${number}`, body: '{}' })),
};

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

  it('spreads the calls evenly: as many in each span of time, from every part of the round', () => {
    const halfOf = ({ path }: RecordedCall) => Number(path.slice(1)) < ROUND.calls.length / 2;
    for (const calls of callsIn(12_000, 2 * ROUND.lengthMs)) {
      assert.ok(calls.length >= 13 && calls.length <= 15, String(calls.length));
      const early = calls.filter(({ call }) => halfOf(call)).length;
      assert.ok(early >= 5 && early <= 9, `${early} of ${calls.length}`);
    }
  });

  it('has each call once however many there are', () => {
    for (let count = 1; count < 60; count += 1) {
      const calls = ROUND.calls.slice(0, Math.min(count, 46));
      const sent = callsBetween(2, { lengthMs: 1000, calls }, 0, 1000);
      assert.deepEqual(new Set(sent.map(({ tab, call }) => `${tab}${call.path}`)).size, 2 * calls.length);
    }
  });
});
