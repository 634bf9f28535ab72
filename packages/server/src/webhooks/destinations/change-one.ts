/** Steps shared by the endpoints that change one destination: lock, find within the caller's scope, change, reply. */
import type { Request } from '../../platform/endpoint/endpoint.ts';
import { timestamp } from '../../platform/endpoint/field-types.ts';
import { isRefusal, type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { eventsOfOwner, refusalOfShown, type ShownRefusal } from '../../platform/endpoint/shown-values.ts';
import type { Event } from '../../platform/events/event.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { type DestinationWithProgress, findDestination, withLockedProgress } from './store.ts';
import { lockDestinations } from './turn-store.ts';
import { viewOf } from './views.ts';

type Asked = Pick<Request<{ readonly destinationId: string }>, 'fields' | 'scope'>;
type SeenFields = { readonly destinationId: string; readonly wasUpdatedAt?: string | undefined };

/** Locks a destination within the caller's scope, and its progress. */
export async function lockDestination(
  tx: Tx,
  { fields, scope }: Asked,
): Promise<DestinationWithProgress | Refusal<'destination_not_found'>> {
  await lockDestinations(tx);
  const destination = await findDestination(tx, fields.destinationId, scope);
  const [found] = destination === undefined ? [] : await withLockedProgress(tx, [destination]);
  return found ?? refuse('destination_not_found');
}

/** The field with which a caller changes a destination only as it saw it. */
export const wasUpdatedAtField = timestamp('`updatedAt` of the destination that the caller saw.');

/** The types of changes that move `updatedAt`. */
const CHANGES = [
  'destination.updated',
  'destination.paused',
  'destination.resumed',
  'destination.secret_rotated',
  'destination.disabled',
] as const;

/**
 * Locks a destination that nobody has changed since the caller saw it. Times are compared, because events do not hold
 * the path of the URL.
 */
export async function lockSeenDestination(
  tx: Tx,
  { fields, scope }: Pick<Request<SeenFields>, 'fields' | 'scope'>,
): Promise<DestinationWithProgress | Refusal<'destination_not_found'> | ShownRefusal> {
  const found = await lockDestination(tx, { fields, scope });
  if (isRefusal(found)) return found;
  const { destinationId, creatorId, updatedAt } = found.destination;
  const seen = {
    name: 'Destination',
    stored: { updatedAt },
    events: eventsOfOwner(CHANGES, creatorId),
    isChangeOf: ({ subject }: Event) => subject === destinationId,
  };
  return (await refusalOfShown(tx, seen, { wasUpdatedAt: fields.wasUpdatedAt }, scope)) ?? found;
}

/** The reply of an endpoint that changed a destination. */
export async function changedReply(tx: Tx, changed: DestinationWithProgress, now: number) {
  return { success: true as const, destination: await viewOf(tx, changed, now) };
}
