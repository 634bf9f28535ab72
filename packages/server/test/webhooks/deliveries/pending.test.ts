/** The counts of an outbox: they bound its events in memory and order them, so they must agree after any change. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { inLicenseOrder } from '../../../src/webhooks/deliveries/license-order.ts';
import { type Pending, PendingDeliveries } from '../../../src/webhooks/deliveries/pending.ts';

const EVENTS = 6;
const LICENSES = 3;

type Change = readonly [
  kind: 'append' | 'insert' | 'begin' | 'end' | 'delete' | 'store' | 'end replay' | 'drop',
  event: number,
  cause: Pending['cause'],
  isStored: boolean,
];

const change: fc.Arbitrary<Change> = fc.tuple(
  fc.constantFrom('append', 'insert', 'begin', 'end', 'delete', 'store', 'end replay', 'drop'),
  fc.nat(EVENTS - 1),
  fc.constantFrom('change', 'resend', 'replay'),
  fc.boolean(),
);

function deliveryOf(event: number, cause: Pending['cause'], isStored: boolean): Pending {
  const licenseKey = event % LICENSES === 0 ? null : `license ${event % LICENSES}`;
  return {
    ...{ destinationId: 'd', eventId: `e${event}`, licenseKey, position: event, cause, attempts: 0, dueAt: 0 },
    ...{ firstAt: null, lastStatus: null, lastError: null, isUnderWay: false, isStored, isChanged: false },
  };
}

function apply(deliveries: PendingDeliveries, [kind, event, cause, isStored]: Change): void {
  const known = deliveries.get(`e${event}`);
  if (kind === 'end replay') deliveries.endReplay(new Set([`e${event}`]));
  if (kind === 'drop') deliveries.dropBeyond(event, 2);
  if (known === undefined && kind === 'append') deliveries.append(deliveryOf(event, cause, false));
  if (known === undefined && kind === 'insert') deliveries.insert(deliveryOf(event, cause, isStored));
  if (known === undefined) return;
  const isHeld = known.licenseKey !== null && deliveries.licensesUnderWay.has(known.licenseKey);
  if (kind === 'begin' && !isHeld) deliveries.markUnderWay(known, true);
  if ((kind === 'end' || kind === 'delete') && known.isUnderWay) deliveries.markUnderWay(known, false);
  if (kind === 'delete') deliveries.delete(known);
  if (kind === 'store') deliveries.markStored(known);
}

describe('the deliveries of an outbox', () => {
  it('are counted right after any changes', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 20, maxLength: 60 }), (changes) => {
        const deliveries = new PendingDeliveries();
        for (const each of changes) {
          apply(deliveries, each);
          const all = [...deliveries.values()];
          const stored = all.filter(({ isStored }) => isStored);
          assert.equal(deliveries.stored, stored.length);
          assert.equal(deliveries.storedChanges, stored.filter(({ cause }) => cause === 'change').length);
          assert.equal(deliveries.requested, all.filter(({ cause }) => cause !== 'change').length);
          const underWay = all.flatMap(({ isUnderWay, licenseKey }) => (isUnderWay && licenseKey ? [licenseKey] : []));
          assert.deepEqual([...deliveries.licensesUnderWay].sort(), underWay.sort());
        }
      }),
    );
  });

  it('are dropped beyond the first ones and those under way, to be read again after the last that is kept', () => {
    const kept = (most: number, underWay?: number) => {
      const deliveries = new PendingDeliveries();
      for (const event of [1, 2, 3, 4, 5]) deliveries.append(deliveryOf(event, 'change', false));
      if (underWay !== undefined) deliveries.markUnderWay(deliveries.get(`e${underWay}`)!, true);
      return [deliveries.dropBeyond(1, most), [...deliveries.values()].map(({ position }) => position)];
    };
    assert.deepEqual(kept(2), [3, [1, 2, 3]]);
    assert.deepEqual(kept(3), [4, [1, 2, 3, 4]]);
    assert.deepEqual(kept(2, 4), [4, [1, 2, 3, 4]]);
    assert.deepEqual(kept(4), [null, [1, 2, 3, 4, 5]]);
  });

  it('go one after the other for each license, also while a requested one is under way', () => {
    const deliveries = new PendingDeliveries();
    const [change, other, requested] = [
      deliveryOf(1, 'change', false),
      deliveryOf(2, 'change', false),
      deliveryOf(4, 'resend', true),
    ];
    for (const each of [change, other]) deliveries.append(each);
    deliveries.insert(requested);
    deliveries.markUnderWay(requested, true);
    assert.deepEqual([...inLicenseOrder(deliveries, 0, false)], [other]);
    deliveries.markUnderWay(requested, false);
    assert.deepEqual([...inLicenseOrder(deliveries, 0, false)], [change, other]);
  });
});
