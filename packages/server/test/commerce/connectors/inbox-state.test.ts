import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ATTENTION, type AttentionReason, remediesOf } from '../../../src/commerce/connectors/attention.ts';
import {
  heldUntil,
  isWaiting,
  nextAttemptAt,
  SHOP_EVENT_STATES,
  stateOnArrival,
} from '../../../src/commerce/connectors/inbox-state.ts';
import { DAY_MS, HOUR_MS } from '../../../src/ground/base/clock.ts';
import { NOW } from './policies.ts';

describe('a failed event', () => {
  it('is tried again after 5 s, 30 s, 2 and 10 minutes, then hourly for three days', () => {
    const pauses: number[] = [];
    let [attempts, now] = [0, NOW];
    for (let next: number | null = now; next !== null; now = next ?? now) {
      attempts += 1;
      next = nextAttemptAt(attempts, NOW, now);
      if (next !== null) pauses.push((next - now) / 1000);
    }
    assert.deepEqual(pauses.slice(0, 6), [5, 30, 120, 600, 3600, 3600]);
    assert.ok(now - NOW >= 3 * DAY_MS && now - NOW < 3 * DAY_MS + HOUR_MS);
  });

  it('that waits for another is held for 30 days', () => {
    assert.equal(heldUntil(NOW), NOW + 30 * DAY_MS);
  });
});

describe('an event of a shop', () => {
  it('is worked on when its connector is on, and stored otherwise', () => {
    assert.deepEqual(
      [stateOnArrival('on'), stateOnArrival('watching'), stateOnArrival('paused')],
      ['received', 'watched', 'watched'],
    );
    assert.deepEqual(SHOP_EVENT_STATES.filter(isWaiting), ['received', 'looking up', 'held']);
  });

  it('that a person decides can always be dismissed, and has another remedy', () => {
    for (const reason of Object.keys(ATTENTION) as AttentionReason[]) {
      const remedies = remediesOf(reason);
      assert.ok(remedies.length >= 2 && remedies.includes('dismiss'), reason);
    }
  });
});
