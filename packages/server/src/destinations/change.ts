/**
 * The only writer of destinations. Records every change with the origin of the URL only, because its path may be
 * secret.
 */
import { toTimestamp } from '../base/clock.ts';
import { difference, type Facts, type Origin, type Recorded } from '../events/event.ts';
import type { EventType } from '../events/event-types.ts';
import { findLastPosition } from '../events/feed-store.ts';
import { recordChanges } from '../events/record.ts';
import type { Tx } from '../storage/storage.ts';
import type { Destination } from './destination.ts';
import {
  deleteDestination,
  insertDestination,
  insertProgress,
  listActive,
  listInState,
  lockDestinations,
  saveProgress,
  updateDestination,
  withProgress,
} from './store.ts';

/** Adds a destination, which receives every change that begins after the reply. The caller holds the lock. */
export async function addDestination(tx: Tx, origin: Origin, destination: Destination): Promise<void> {
  await insertDestination(tx, destination);
  await recordChanges(tx, [
    { ...subjectOf(destination), type: 'destination.created', after: factsOf(destination), origin },
  ]);
  await insertProgress(tx, destination.destinationId, await findLastPosition(tx));
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
  await updateDestination(tx, changed);
  const differing = difference(factsOf(before), factsOf(changed));
  await recordChanges(tx, [{ ...subjectOf(changed), type, ...differing, origin }]);
  return changed;
}

/** Deletes a locked destination. */
export async function removeDestination(tx: Tx, origin: Origin, destination: Destination): Promise<void> {
  await recordChanges(tx, [
    { ...subjectOf(destination), type: 'destination.deleted', before: factsOf(destination), origin },
  ]);
  await deleteDestination(tx, destination.destinationId);
}

/**
 * Pauses every active destination of a copied or restored database, which would otherwise repeat events of the
 * original. Returns the number of paused destinations.
 */
export async function pauseCopied(tx: Tx, origin: Origin): Promise<number> {
  // Taking the lock updates a row, and a database without active destinations must stay unchanged.
  if ((await listActive(tx)).length === 0) return 0;
  await lockDestinations(tx);
  return pauseAll(tx, origin, await listInState(tx, 'active'), 'copied');
}

/** Pauses those of the given destinations that are active; returns their number. The caller holds the lock. */
export async function pauseAll(
  tx: Tx,
  origin: Origin,
  destinations: readonly Destination[],
  stateReason: 'copied' | 'by_person' | 'by_command',
): Promise<number> {
  const active = destinations.filter(({ state }) => state === 'active');
  for (const each of active)
    await changeDestination(tx, origin, 'destination.paused', each, { ...each, state: 'paused', stateReason });
  return active.length;
}

/** Resumes paused destinations where they stopped. The caller holds the lock. */
export async function resumeAll(tx: Tx, origin: Origin, paused: readonly Destination[]): Promise<void> {
  for (const { destination, progress } of await withProgress(tx, paused)) {
    await saveProgress(tx, [{ ...progress, failingSince: null, failures: 0, nextTryAt: null }]);
    const resumed: Destination = { ...destination, state: 'active', stateReason: null };
    await changeDestination(tx, origin, 'destination.resumed', destination, resumed);
  }
}

/** Records the time since which a destination has been failing, as an event for the owner's other destinations. */
export async function recordFailing(tx: Tx, origin: Origin, destination: Destination, since: number): Promise<void> {
  await recordChanges(tx, [
    {
      ...subjectOf(destination),
      type: 'destination.failing',
      after: { origin: originOf(destination.url), failingSince: toTimestamp(since) },
      origin,
    },
  ]);
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
