/** The recorder: every change of the service passes here, in the transaction that makes it. */
import { HOUR_MS, toTimestamp } from '../clock.ts';
import type { Tx } from '../storage/storage.ts';
import { eventOf, mintEventId, type Recorded, type SharedEvent } from './event.ts';
import { insertEvents, replaceFactsAfter } from './store.ts';

/** Records changes: a row each, of which whoever listens to commits hears, too. What is rolled back leaves none. */
export async function recordChanges(tx: Tx, changes: readonly Recorded[]): Promise<void> {
  if (changes.length === 0) return;
  for (const { origin, licenseKey } of changes) if (licenseKey) origin.changedLicenses?.add(licenseKey);
  await insertEvents(tx, changes.map(eventOf));
  for (const change of changes) tx.markRecorded(change);
}

/**
 * Records a change that may come many times within an hour: the first has an event, which from the second on says in
 * `count` how many there were, and in `lastAt` when the last one was.
 *
 * @param known the event of earlier ones; kept by the caller, who holds a lock on it
 * @returns the event of this one
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
  await replaceFactsAfter(tx, [{ eventId: known.eventId, after }]);
  tx.markRecorded(change);
  return { ...known, count };
}
