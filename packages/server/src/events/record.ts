/** The recorder: every change of the service passes here, in the transaction that makes it. */
import type { Tx } from '../storage/storage.ts';
import { eventOf, type Recorded } from './event.ts';
import { insertEvents } from './store.ts';

/** Records changes: a row each, of which whoever listens to commits hears, too. What is rolled back leaves none. */
export async function recordChanges(tx: Tx, changes: readonly Recorded[]): Promise<void> {
  if (changes.length === 0) return;
  for (const { origin, licenseKey } of changes) if (licenseKey) origin.changedLicenses?.add(licenseKey);
  await insertEvents(tx, changes.map(eventOf));
  for (const change of changes) tx.markRecorded(change);
}
