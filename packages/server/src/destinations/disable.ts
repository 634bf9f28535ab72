/** Disables destinations whose receivers want no more events or have been down for days. */
import type { Origin } from '../events/event.ts';
import type { Tx } from '../storage/storage.ts';
import { changeDestination } from './change.ts';
import { findDestination, lockDestinations } from './store.ts';

/**
 * Disables an active destination: the receiver answered 410 (`gone`), or no request succeeded for days (`gave_up`).
 *
 * @returns false if it is no longer active
 */
export async function disableDestination(
  tx: Tx,
  origin: Origin,
  destinationId: string,
  stateReason: 'gone' | 'gave_up',
): Promise<boolean> {
  await lockDestinations(tx);
  const destination = await findDestination(tx, destinationId, { creatorId: null });
  if (destination === undefined || destination.state !== 'active') return false;
  await changeDestination(tx, origin, 'destination.disabled', destination, {
    ...destination,
    state: 'disabled',
    stateReason,
  });
  return true;
}
