/** The rounds of a sender: the longer one takes, the later the next one begins (rules 12.3). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { restAfter, startRounds } from '../../src/engines/rounds.ts';

describe('the rounds of a sender', () => {
  it('leave three quarters of the time to others, but never wait for long, and join the events of a moment', () => {
    assert.deepEqual(
      [0, 2, 5, 20, 1_000].map((milliseconds) => restAfter(milliseconds, false)),
      [10, 10, 15, 60, 100],
    );
    assert.deepEqual(
      [0, 2, 5, 20, 1_000].map((milliseconds) => restAfter(milliseconds, true)),
      [40, 40, 40, 60, 100],
    );
  });

  it('ask for news before they look, so that no news is missed', async () => {
    const steps: string[] = [];
    const seen = Promise.withResolvers<void>();
    const rounds = startRounds({
      awaitNews: () => steps.push('awaits news'),
      async look() {
        steps.push('looks');
        if (steps.length >= 4) seen.resolve();
        return true;
      },
      ends: () => null,
      intervalMs: 60_000,
      failed: assert.fail,
    });
    await seen.promise;
    await rounds.stop();
    assert.deepEqual(steps.slice(0, 4), ['awaits news', 'looks', 'awaits news', 'looks']);
  });

  it('begin at once after a quiet moment', async () => {
    let looks = 0;
    const rounds = startRounds({
      awaitNews: () => {},
      async look() {
        looks += 1;
        return false;
      },
      ends: () => null,
      intervalMs: 60_000,
      failed: assert.fail,
    });
    await nextTurn();
    // Blocks this thread, so no timer fires meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, restAfter(0, true));
    rounds.wake();
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    assert.equal(looks, 2);
    await rounds.stop();
  });

  it('go on after a failure, which they report once', async () => {
    const failures: string[] = [];
    let looks = 0;
    const seen = Promise.withResolvers<void>();
    const rounds = startRounds({
      awaitNews: () => {},
      async look() {
        looks += 1;
        if (looks === 4) seen.resolve();
        throw new Error('the database is away');
      },
      ends: () => null,
      intervalMs: 1,
      failed: (failure) => failures.push(failure),
    });
    const waking = setInterval(rounds.wake, 1);
    await seen.promise;
    clearInterval(waking);
    await nextTurn();
    await rounds.stop();
    assert.deepEqual(failures, ['Error: the database is away']);
  });
});
