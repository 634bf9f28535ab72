/** The counts of an outbox: they bound the events in memory, so they must agree with its deliveries after any change. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Pending, PendingDeliveries } from '../../src/deliveries/pending.ts';

const EVENTS = 12;

type Change = readonly [
  kind: 'append' | 'insert' | 'delete' | 'store' | 'end replay' | 'drop',
  event: number,
  cause: Pending['cause'],
  isSet: boolean,
];

const change: fc.Arbitrary<Change> = fc.tuple(
  fc.constantFrom('append', 'insert', 'delete', 'store', 'end replay', 'drop'),
  fc.nat(EVENTS - 1),
  fc.constantFrom('change', 'resend', 'replay'),
  fc.boolean(),
);

function deliveryOf(event: number, cause: Pending['cause'], isStored: boolean, isUnderWay: boolean): Pending {
  return {
    ...{ destinationId: 'd', eventId: `e${event}`, licenseKey: null, position: event, cause, attempts: 0, dueAt: 0 },
    ...{ firstAt: null, lastStatus: null, lastError: null, isUnderWay, isStored, isChanged: false },
  };
}

function apply(deliveries: PendingDeliveries, [kind, event, cause, isSet]: Change): void {
  const known = deliveries.get(`e${event}`);
  if (kind === 'end replay') deliveries.endReplay(new Set([`e${event}`]));
  else if (kind === 'drop') deliveries.dropBeyond(event, 2);
  else if (known === undefined) {
    if (kind === 'append') deliveries.append(deliveryOf(event, cause, false, isSet));
    else if (kind === 'insert') deliveries.insert(deliveryOf(event, cause, isSet, isSet));
  } else if (kind === 'delete') deliveries.delete(known);
  else if (kind === 'store') deliveries.markStored(known);
}

describe('the deliveries of an outbox', () => {
  it('are counted right after any changes', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const deliveries = new PendingDeliveries();
        for (const each of changes) {
          apply(deliveries, each);
          const stored = [...deliveries.values()].filter(({ isStored }) => isStored);
          assert.equal(deliveries.stored, stored.length);
          assert.equal(deliveries.storedChanges, stored.filter(({ cause }) => cause === 'change').length);
        }
      }),
    );
  });
});
