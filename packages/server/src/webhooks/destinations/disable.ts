/** Disables destinations whose receivers want no more events or have been down for days. */
import type { Origin } from '../../platform/events/event.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { changeDestination } from './change.ts';
import type { Destination } from './destination.ts';
import { findDestination } from './store.ts';
import { lockDestinations } from './turn-store.ts';

/** Disables an active destination: the receiver answered 410 (`gone`), or no request succeeded for days (`gave_up`). */
export async function disableDestination(
  tx: Tx,
  origin: Origin,
  destinationId: string,
  stateReason: 'gone' | 'gave_up',
): Promise<void> {
  await lockDestinations(tx);
  const destination = await findDestination(tx, destinationId, { creatorId: null });
  if (destination?.state !== 'active') return;
  const disabled: Destination = { ...destination, state: 'disabled', stateReason };
  await changeDestination(tx, origin, 'destination.disabled', destination, disabled);
}
