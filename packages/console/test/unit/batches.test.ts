/** The changes of one press, found among the events. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { batchesOf, isBatch } from '../../src/activity/batches.ts';
import type { Event } from '../../src/api/contract.ts';

const START = Date.parse('2027-03-04T12:00:00.000Z');

/** An extension that was made some seconds after the start. */
function extension(seconds: number, more: Partial<Event> = {}): Event {
  const actor: Event['actor'] = { kind: 'operator', id: null, keyName: 'Bea' };
  return {
    id: `evt_${seconds}`,
    type: 'license.updated',
    at: new Date(START + seconds * 1000).toISOString(),
    ...{ licenseKey: `KEY-${seconds}`, productId: 'tape', creatorId: null, subject: null, requestId: `r${seconds}` },
    before: { expiresAt: null },
    after: { expiresAt: '2028-01-01T00:00:00.000Z' },
    actor,
    ...more,
  } as Event;
}

const sizes = (events: readonly Event[]) =>
  batchesOf(events).map((entry) => (isBatch(entry) ? entry.events.length : 1));

describe('changes of one press', () => {
  it('are one entry from three on, in their order', () => {
    const events = [extension(9), extension(5), extension(2), extension(0)];
    assert.deepEqual(batchesOf(events), [{ events }]);
    assert.deepEqual(sizes(events.slice(2)), [1, 1]);
    assert.deepEqual(batchesOf([]), []);
  });

  it('are those of one person, of one type, on several licenses, without a pause', () => {
    const three = [extension(4), extension(2), extension(0)];
    const others: readonly Partial<Event>[] = [
      { actor: { kind: 'operator', id: null, keyName: 'Ada' } as Event['actor'] },
      { type: 'license.revoked', before: { revocation: null }, after: { revocation: 'plain' } },
      { licenseKey: 'KEY-4' },
    ];
    for (const more of others) assert.deepEqual(sizes([extension(6, more), ...three]), [1, 3], JSON.stringify(more));
    assert.deepEqual(sizes([extension(40), ...three]), [1, 3]);
  });

  it('are only those that can be undone together', () => {
    const created = (seconds: number) => extension(seconds, { type: 'license.created', before: null });
    assert.deepEqual(sizes([created(2), created(1), created(0)]), [1, 1, 1]);
  });
});
