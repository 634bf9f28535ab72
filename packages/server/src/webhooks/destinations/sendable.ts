/** Destinations for the sender: active ones, their secrets, and the filter of their events. */
import { fromTimestamp } from '../../ground/base/clock.ts';
import type { Event } from '../../platform/events/event.ts';
import { openSecret, type SecretsKey } from '../../platform/sealing/seal.ts';
import { type Destination, includesType, type Progress } from './destination.ts';

/** The settings of a destination that its sender needs. A service may keep 10,000 of them in memory. */
export type SentTo = Omit<Destination, 'description' | 'state' | 'stateReason' | 'createdAt' | 'updatedAt'>;

/** An active destination. */
export interface Sendable {
  readonly destination: SentTo;
  readonly progress: Progress;
}

/** The secrets that sign requests to a destination now, including the previous one until its overlap ends. */
export function secretsOf(destination: SentTo, key: SecretsKey, now: number): readonly string[] {
  const { destinationId, secret, previousSecret, previousEndsAt } = destination;
  const newest = openSecret(secret, destinationId, key);
  if (newest === null) return [];
  const isOverlapping = previousSecret !== null && previousEndsAt !== null && fromTimestamp(previousEndsAt) > now;
  const previous = isOverlapping ? openSecret(previousSecret, destinationId, key) : null;
  return previous === null ? [newest] : [newest, previous];
}

/**
 * Returns whether an event is sent to a destination. A creator's destination receives the events of products that the
 * creator owned when they happened and owns now, and the creator's events without a product.
 *
 * @param owners the present owner of each product; products outside the catalogue have none
 */
export function matches(
  destination: Pick<Destination, 'destinationId' | 'creatorId' | 'types' | 'productIds'>,
  event: Pick<Event, 'type' | 'creatorId' | 'productId' | 'subject'>,
  owners: ReadonlyMap<string, string>,
): boolean {
  const { destinationId, creatorId, types, productIds } = destination;
  if (!includesType(types, event.type)) return false;
  // Events about a destination go to other destinations only.
  if (event.type.startsWith('destination.') && event.subject === destinationId) return false;
  if (productIds !== null && (event.productId === null || !productIds.includes(event.productId))) return false;
  return isOwnedBy({ creatorId }, event, owners);
}

/** Returns whether the owner of a destination gets an event, whatever its type. See {@link matches}. */
export function isOwnedBy(
  { creatorId }: Pick<Destination, 'creatorId'>,
  event: Pick<Event, 'creatorId' | 'productId'>,
  owners: ReadonlyMap<string, string>,
): boolean {
  if (creatorId === null) return true;
  if (event.creatorId !== creatorId) return false;
  return event.productId === null || owners.get(event.productId) === creatorId;
}
