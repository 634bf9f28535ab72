/** A thread counts as busy if its event loop worked most of the last window. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { busyThread } from '../../../src/ground/base/busy-thread.ts';

/** A thread on a clock that the test moves. */
function thread() {
  let now = 1000;
  let active = 700;
  const isBusy = busyThread(
    () => now,
    () => active,
  );
  return {
    isBusy,
    /** Lets time pass, of which the thread works a part. */
    pass(milliseconds: number, worked: number) {
      now += milliseconds;
      active += worked;
    },
  };
}

describe('a thread', () => {
  it('is not busy before the first window has passed', () => {
    const { isBusy, pass } = thread();
    pass(49, 49);
    assert.equal(isBusy(), false);
  });

  it('is busy after a window of work, and rests after a window of little work', () => {
    const { isBusy, pass } = thread();
    pass(50, 41);
    assert.equal(isBusy(), true);
    pass(50, 40);
    assert.equal(isBusy(), false);
  });

  it('keeps its verdict until the next window has passed', () => {
    const { isBusy, pass } = thread();
    pass(60, 60);
    assert.equal(isBusy(), true);
    pass(49, 0);
    assert.equal(isBusy(), true);
    pass(1, 0);
    assert.equal(isBusy(), false);
  });

  it('is judged by the time since the last verdict, however long ago that was', () => {
    const { isBusy, pass } = thread();
    pass(1000, 100);
    assert.equal(isBusy(), false);
    pass(1000, 1000);
    assert.equal(isBusy(), true);
  });

  it('measures the real event loop', async () => {
    const isBusy = busyThread();
    const work = (milliseconds: number) => {
      for (const until = performance.now() + milliseconds; performance.now() < until; );
    };
    await new Promise<void>((resolve) => setImmediate(resolve));
    isBusy();
    // The time that the loop waits for events does not count as work; a loop that never waits is busy.
    for (let ticks = 0; ticks < 4; ticks += 1)
      await new Promise<void>((resolve) => {
        work(30);
        setImmediate(resolve);
      });
    assert.equal(isBusy(), true);
  });
});
