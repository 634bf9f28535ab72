/**
 * The only writer of destinations. Records every change with the origin of the URL only, because its path may be
 * secret.
 */
import { toTimestamp } from '../../ground/base/clock.ts';
import { difference, type Facts, type Origin, type Recorded } from '../../platform/events/event.ts';
import type { EventType } from '../../platform/events/event-types.ts';
import { findLastPosition } from '../../platform/events/feed-store.ts';
import { recordChanges, recording } from '../../platform/events/record.ts';
import type { RecordedChange } from '../../platform/events/recorded-changes.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import type { Destination, TOO_MANY_REFUSED } from './destination.ts';
import { noteKey } from './key-store.ts';
import { deleteDestination, insertDestination, insertProgress, updateDestination } from './store.ts';
import { noteChange } from './turn-store.ts';

/** Adds a destination, which receives every change that begins after the reply. The caller holds the lock. */
export async function addDestination(tx: Tx, origin: Origin, destination: Destination): Promise<void> {
  const after = factsOf(destination);
  await recording(tx, [{ ...subjectOf(destination), type: 'destination.created', after, origin }], (tx) =>
    insertDestination(tx, destination),
  );
  await insertProgress(tx, destination.destinationId, await findLastPosition(tx));
  await noteChange(tx, destination.destinationId);
  await noteActor(tx, origin, destination);
}

/** Returns true if a destination became active by these committed changes. */
export function activateDestination(recorded: readonly RecordedChange[]): boolean {
  return recorded.some(({ type }) => type === 'destination.created' || type === 'destination.resumed');
}

/** Writes the new state of a locked destination. */
export async function changeDestination(
  tx: Tx,
  origin: Origin,
  type: EventType,
  before: Destination,
  after: Destination,
): Promise<Destination> {
  const changed = { ...after, updatedAt: toTimestamp(origin.now) };
  const differing = difference(factsOf(before), factsOf(changed));
  await recording(tx, [{ ...subjectOf(changed), type, ...differing, origin }], (tx) => updateDestination(tx, changed));
  await noteChange(tx, changed.destinationId);
  await noteActor(tx, origin, changed);
  return changed;
}

/** Notes the API key that made a change: the holder of a leaked key may have left a destination behind. */
async function noteActor(tx: Tx, { actor }: Origin, { destinationId }: Destination): Promise<void> {
  if (actor.kind === 'creator' && actor.keyHash !== undefined) await noteKey(tx, destinationId, actor.keyHash);
}

/** Deletes a locked destination. */
export async function removeDestination(tx: Tx, origin: Origin, destination: Destination): Promise<void> {
  const before = factsOf(destination);
  await recording(tx, [{ ...subjectOf(destination), type: 'destination.deleted', before, origin }], (tx) =>
    deleteDestination(tx, destination.destinationId),
  );
  await noteChange(tx, destination.destinationId);
}

/**
 * Records the time since which a destination has been failing, as an event for the owner's other destinations.
 *
 * @param reason null if its requests fail
 */
export async function recordFailing(
  tx: Tx,
  origin: Origin,
  destination: Destination,
  since: number,
  reason: typeof TOO_MANY_REFUSED | null,
): Promise<void> {
  const failing = { origin: originOf(destination.url), failingSince: toTimestamp(since) };
  const after = reason === null ? failing : { ...failing, reason };
  await recordChanges(tx, [{ ...subjectOf(destination), type: 'destination.failing', after, origin }]);
}

/** Returns the origin of a URL, for events and the log. */
export function originOf(url: string): string {
  return new URL(url).origin;
}

function subjectOf({ destinationId, creatorId }: Destination): Pick<Recorded, 'subject' | 'creatorId'> {
  return { subject: destinationId, creatorId };
}

function factsOf(destination: Destination): Facts {
  const { url, types, productIds, includeLicenseKeys, includePersonalData, requestsPerSecond } = destination;
  const { description, state, stateReason, previousEndsAt } = destination;
  return {
    origin: originOf(url),
    description,
    types,
    productIds,
    includeLicenseKeys,
    includePersonalData,
    requestsPerSecond,
    state,
    reason: stateReason,
    previousEndsAt,
  };
}
