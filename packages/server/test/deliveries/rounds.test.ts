/** The rounds of a sender: the longer one takes, the later the next one begins (rules 12.3). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { restAfter, startRounds } from '../../src/engines/rounds.ts';

describe('the rounds of a sender', () => {
  it('leave three quarters of the time to others, but never wait for long, and join the events of a moment', () => {
    assert.deepEqual(
      [0, 2, 5, 20, 1_000].map((milliseconds) => restAfter(milliseconds)),
      [10, 10, 15, 60, 100],
    );
  });

  it('go on after a failure, which they report once', async () => {
    const failures: string[] = [];
    let looks = 0;
    const seen = Promise.withResolvers<void>();
    const rounds = startRounds({
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
