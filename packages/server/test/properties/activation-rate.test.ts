/** The activation limit, for attempts at any times. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HOUR_MS } from '../../src/ground/base/clock.ts';
import { ATTEMPTS_PER_HOUR, recordAttempt } from '../../src/licensing/machines/activation-rate.ts';

/** Where the newest attempt was is where the next one is, but for so much: back where the clocks of nodes disagree. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, 1, 1000, HOUR_MS / 20) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 2 * HOUR_MS }) },
  { weight: 2, arbitrary: fc.constantFrom(HOUR_MS / 2, HOUR_MS - 1, HOUR_MS, HOUR_MS + 1) },
  { weight: 2, arbitrary: fc.integer({ min: 1 - HOUR_MS, max: 0 }) },
);
/** Steps, some of them taken many times in a row. */
const steps = fc
  .array(fc.tuple(step, fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 18 }))), { maxLength: 20 })
  .map((runs) => runs.flatMap(([move, times]) => Array.from({ length: times }, () => move)));

/** Makes attempts at the times that the steps lead to, each less than an hour behind the newest. */
function attemptAll(moves: readonly number[]): { at: number; isAllowed: boolean; attempts: readonly number[] }[] {
  let newest = 10 * HOUR_MS;
  let attempts: readonly number[] = [];
  return moves.map((move) => {
    const at = newest + move;
    newest = Math.max(newest, at);
    const verdict = recordAttempt(attempts, at);
    attempts = verdict.attempts;
    return { at, isAllowed: verdict.retryAfterSeconds === null, attempts };
  });
}

describe('activation attempts', () => {
  it('are never allowed more than 15 times in any hour', () => {
    fc.assert(
      fc.property(steps, (moves) => {
        const allowed = attemptAll(moves).filter((each) => each.isAllowed);
        for (const { at: last } of allowed) {
          const inHour = allowed.filter(({ at }) => at > last - HOUR_MS && at <= last);
          assert.ok(inHour.length <= ATTEMPTS_PER_HOUR, `${inHour.length} in the hour before ${last}`);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('are allowed when fewer than 15 were made in the hour before', () => {
    fc.assert(
      fc.property(steps, (moves) => {
        const made = attemptAll(moves);
        for (const [index, { at, isAllowed }] of made.entries()) {
          const recent = made.slice(0, index).filter((each) => each.at > at - HOUR_MS);
          assert.equal(isAllowed, recent.length < ATTEMPTS_PER_HOUR);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('are kept in the order of their times, 15 at most', () => {
    fc.assert(
      fc.property(steps, (moves) => {
        for (const { attempts } of attemptAll(moves)) {
          assert.ok(attempts.length <= ATTEMPTS_PER_HOUR);
          assert.deepEqual(
            attempts,
            [...attempts].sort((one, other) => one - other),
          );
        }
      }),
    );
  });

  it('may go on after the seconds that a refusal names, and not two seconds sooner', () => {
    const times = fc.array(fc.integer({ min: 0, max: HOUR_MS }), { minLength: 15, maxLength: 40 });
    fc.assert(
      fc.property(times, (unsorted) => {
        let attempts: readonly number[] = [];
        let now = 0;
        for (const at of unsorted.sort((one, other) => one - other)) {
          now = at;
          const verdict = recordAttempt(attempts, at);
          attempts = verdict.attempts;
          if (verdict.retryAfterSeconds === null) continue;
          const again = at + verdict.retryAfterSeconds * 1000;
          assert.equal(recordAttempt(attempts, again).retryAfterSeconds, null);
          if (verdict.retryAfterSeconds > 2)
            assert.notEqual(recordAttempt(attempts, again - 2000).retryAfterSeconds, null);
        }
        assert.ok(now <= HOUR_MS);
      }),
    );
  });

  it('made by a clock that was far ahead do not lock the license until that time comes', () => {
    const ahead = Array.from({ length: ATTEMPTS_PER_HOUR }, (_, index) => 1000 * HOUR_MS + index);
    assert.equal(recordAttempt(ahead, HOUR_MS).retryAfterSeconds, null);
  });
});
