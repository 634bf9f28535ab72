import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import {
  holdsBack,
  isAlarmDue,
  isDue,
  isTroubleOfDestination,
  nextAttemptAt,
  nextTryAt,
} from '../../../src/webhooks/deliveries/schedule.ts';

const NOW = Date.UTC(2026, 0, 31);

describe('the schedule of an event', () => {
  it('has ten attempts within 75.6 hours, and then ends', () => {
    let at = 0;
    for (let attempts = 1; attempts < 10; attempts += 1) at = nextAttemptAt(attempts, at, 0.5) ?? Number.NaN;
    assert.equal(Math.round((at / HOUR_MS) * 10), 756);
    assert.equal(nextAttemptAt(10, at, 0.5), null);
  });

  it('differs by ten percent at most', () => {
    assert.equal(nextAttemptAt(2, NOW, 0), NOW + 4.5 * MINUTE_MS);
    assert.equal(nextAttemptAt(2, NOW, 1), NOW + 5.5 * MINUTE_MS);
  });
});

describe('the back-off of a destination', () => {
  it('grows to 15 minutes, give or take a fifth, and stays there', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 1000].map((failures) => nextTryAt(failures, 0, 0.5) / 1000);
    assert.deepEqual(waits, [5, 30, 120, 300, 600, 900, 900, 900]);
    assert.equal(nextTryAt(6, 0, 0), 12 * MINUTE_MS);
    assert.equal(nextTryAt(6, 0, 1), 18 * MINUTE_MS);
  });

  it('waits longer if Retry-After says so, up to an hour, and never less', () => {
    assert.equal(nextTryAt(1, NOW, 0, 42_000), NOW + 42_000);
    assert.equal(nextTryAt(1, NOW, 1, 9 * HOUR_MS), NOW + HOUR_MS);
    for (const soon of [-1, 0, 1_000]) assert.equal(nextTryAt(6, NOW, 0.5, soon), NOW + 15 * MINUTE_MS);
  });
});

describe('a clock that was wrong', () => {
  it('does not put off an attempt: a time further ahead than any wait is due', () => {
    assert.equal(isDue(NOW, NOW), true);
    assert.equal(isDue(NOW + 1, NOW), false);
    assert.equal(isDue(NOW + 26 * HOUR_MS, NOW), false);
    assert.equal(isDue(NOW + 27 * HOUR_MS, NOW), true);
  });

  it('does not hold back a license for longer than five minutes', () => {
    assert.equal(holdsBack(null, NOW), true);
    assert.equal(holdsBack(NOW - 5 * MINUTE_MS + 1, NOW), true);
    assert.equal(holdsBack(NOW - 5 * MINUTE_MS, NOW), false);
    assert.equal(holdsBack(NOW + HOUR_MS, NOW), false);
  });
});

describe('the alarms about a destination', () => {
  it('are due once each, after 15 minutes, 24 hours and 96 hours', () => {
    const since = NOW;
    const times = Array.from({ length: 5 * 24 * 6 }, (_, index) => since + index * 10 * MINUTE_MS);
    const told = times.filter((at, index) => index > 0 && isAlarmDue(since, times[index - 1] ?? 0, at));
    assert.deepEqual(told, [since + 20 * MINUTE_MS, since + DAY_MS, since + 4 * DAY_MS]);
  });
});

describe('the kind of a failure', () => {
  it('is the trouble of the destination without an answer, and for 429, 502, 503 and 504', () => {
    assert.deepEqual([null, 429, 502, 503, 504].map(isTroubleOfDestination), Array(5).fill(true));
    assert.deepEqual([200, 301, 400, 401, 404, 410, 422, 500, 501].map(isTroubleOfDestination), Array(9).fill(false));
  });
});
