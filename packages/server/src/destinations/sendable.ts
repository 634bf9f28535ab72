/** Destinations for the sender: active ones, their secrets, and the filter of their events. */
import { fromTimestamp } from '../base/clock.ts';
import type { Event } from '../events/event.ts';
import type { Sql } from '../storage/storage.ts';
import { type Destination, includesType, type Progress } from './destination.ts';
import { openSecret, type SecretsKey } from './seal.ts';
import { listActivePage } from './store.ts';

/** The settings of a destination that its sender needs. A service may keep 10,000 of them in memory. */
export type SentTo = Omit<Destination, 'description' | 'state' | 'stateReason' | 'createdAt' | 'updatedAt'>;

/** An active destination. */
export interface Sendable {
  readonly destination: SentTo;
  readonly progress: Progress;
}

/** A page of active destinations. */
export interface SendablePage {
  readonly destinations: readonly Sendable[];
  /** Number of further ones, whose secrets the key of this node does not open. */
  readonly unopened: number;
  /** The id after which the next page begins; null after the last page. */
  readonly next: string | null;
}

/** Returns a page of the active destinations of all owners, after one of them. */
export async function listSendable(
  sql: Sql,
  key: SecretsKey,
  now: number,
  after: string,
  limit: number,
): Promise<SendablePage> {
  const active = await listActivePage(sql, after, limit);
  const opened = active.filter(({ destination }) => secretsOf(destination, key, now).length > 0);
  const lists = new Map<string, readonly string[]>();
  return {
    destinations: opened.map(({ destination, progress }) => {
      const { destinationId, creatorId, url, types, productIds, includeLicenseKeys, includePersonalData } = destination;
      const { requestsPerSecond, secret, previousSecret, previousEndsAt } = destination;
      return {
        destination: {
          ...{ destinationId, creatorId, url, types: shared(types, lists), productIds },
          ...{ includeLicenseKeys, includePersonalData, requestsPerSecond },
          ...{ secret, previousSecret, previousEndsAt },
        },
        progress,
      };
    }),
    unopened: active.length - opened.length,
    next: active.length < limit ? null : (active.at(-1)?.destination.destinationId ?? null),
  };
}

/** Most destinations have the same list of types, which is kept once. */
function shared(list: readonly string[], lists: Map<string, readonly string[]>): readonly string[] {
  const name = list.join(' ');
  const known = lists.get(name) ?? list;
  lists.set(name, known);
  return known;
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
