/** The recorder: every change of the service passes here, in the transaction that makes it. */
import type { Tx } from '../storage/storage.ts';
import { type Change, eventOf, type Origin } from './event.ts';
import { insertEvents } from './store.ts';

/** A change and where it comes from; what is not said is null. */
export interface Recorded extends Pick<Change, 'type'>, Partial<Omit<Change, 'type'>> {
  readonly origin: Origin;
  /** Whose the thing is, where no product says so. */
  readonly creatorId?: string | null;
  /** From mintEventId, where a reply names the event. */
  readonly eventId?: string;
}

/** Records changes: a row each, of which whoever listens to commits hears, too. What is rolled back leaves none. */
export async function recordChanges(tx: Tx, changes: readonly Recorded[]): Promise<void> {
  if (changes.length === 0) return;
  for (const { origin, licenseKey } of changes) if (licenseKey) origin.changedLicenses?.add(licenseKey);
  await insertEvents(
    tx,
    changes.map(({ origin, creatorId = null, ...change }) => eventOf(change, origin, creatorId)),
  );
  for (const change of changes) tx.markRecorded(change);
}
