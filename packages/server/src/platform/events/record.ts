/** The recorder: every change of the service passes through it, in the transaction of the change. */
import { HOUR_MS, toTimestamp } from '../../ground/base/clock.ts';
import type { RecordedTx } from '../../storage/contract/recorded.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { eventOf, mintEventId, type Recorded, type SharedEvent } from './event.ts';
import { recordedChanges } from './recorded-changes.ts';
import { insertEvents, replaceFactsAfter } from './store.ts';

/**
 * Writes rows and records their changes, one event each, and passes the changes to the listeners of commits. A rollback
 * leaves neither.
 *
 * @param changes the changes, which are then sent to the database together with the writes; or a function that returns
 *   them for the result of the writes, none if nothing was changed
 * @param write runs the writes
 * @returns the result of `write`
 */
export async function recording<T>(
  tx: Tx,
  changes: readonly Recorded[] | ((written: T) => readonly Recorded[]),
  write: (tx: RecordedTx) => Promise<T>,
): Promise<T> {
  const recorder = tx as RecordedTx;
  if (typeof changes === 'object') return (await Promise.all([write(recorder), record(recorder, changes)]))[0];
  const written = await write(recorder);
  await record(recorder, changes(written));
  return written;
}

/** Records changes that wrote no row of a recorded table, such as a note or a purchase that changes nothing. */
export async function recordChanges(tx: Tx, changes: readonly Recorded[]): Promise<void> {
  await record(tx as RecordedTx, changes);
}

async function record(tx: RecordedTx, changes: readonly Recorded[]): Promise<void> {
  if (changes.length === 0) return;
  for (const { origin, licenseKey } of changes) if (licenseKey) origin.changedLicenses?.add(licenseKey);
  await insertEvents(tx, changes.map(eventOf));
  for (const change of changes) tx.publish(recordedChanges, change);
}

/**
 * Records a change that may repeat many times within an hour. The first writes an event; from the second on, the event
 * shows the number of changes in `count` and the time of the last in `lastAt`.
 *
 * @param known the event of earlier changes, stored by the caller, which holds a lock on it
 * @returns the event of this change
 */
export async function recordShared(tx: Tx, known: SharedEvent | null, change: Recorded): Promise<SharedEvent> {
  const { now } = change.origin;
  if (known === null || Math.abs(now - known.firstAt) >= HOUR_MS) {
    const eventId = mintEventId(now);
    await recordChanges(tx, [{ ...change, eventId }]);
    return { eventId, firstAt: now, count: 1 };
  }
  const count = known.count + 1;
  const after = { ...change.after, count, lastAt: toTimestamp(now) };
  await replaceFactsAfter(tx as RecordedTx, [{ eventId: known.eventId, after }]);
  tx.publish(recordedChanges, change);
  return { ...known, count };
}
