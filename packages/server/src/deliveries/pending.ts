/** Deliveries in memory. */
import type { FeedEntry, SavedProgress, StoredDelivery } from './store.ts';

export type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** A delivery with its state in memory. */
export interface Pending extends Mutable<StoredDelivery> {
  isUnderWay: boolean;
  isStored: boolean;
  isChanged: boolean;
}

/** Deliveries by event id. */
export type PendingById = Map<string, Pending>;

/** The delivery of an event that was read from the feed. */
export function pendingOf(
  { position, event }: FeedEntry,
  destinationId: string,
  cause: StoredDelivery['cause'],
): Pending {
  const { eventId, licenseKey } = event;
  return {
    ...{ destinationId, eventId, licenseKey, position, cause, attempts: 0, dueAt: 0, firstAt: null },
    ...{ lastStatus: null, lastError: null, isUnderWay: false, isStored: false, isChanged: false },
  };
}

/** Returns deliveries in the order of their positions; those without one in the order of their events. */
export function sortedByPosition(deliveries: PendingById): PendingById {
  return new Map(
    [...deliveries].sort(
      ([oneId, one], [otherId, other]) => one.position - other.position || (oneId < otherId ? -1 : 1),
    ),
  );
}

/** Changes of an outbox to be saved. */
export interface OutboxChanges {
  readonly progress: SavedProgress;
  readonly stored: readonly StoredDelivery[];
  readonly settled: readonly { destinationId: string; eventId: string }[];
  readonly failed: readonly StoredDelivery[];
  readonly alarm: { readonly isFull: boolean } | null;
  readonly disabled: { destinationId: string; reason: 'gone' | 'gave_up' } | null;
}

/** Counts the stored deliveries, and those of changes among them. */
export function countStored(deliveries: PendingById): { readonly stored: number; readonly ofChanges: number } {
  let stored = 0;
  let ofChanges = 0;
  for (const { cause, isStored } of deliveries.values()) {
    if (isStored) stored += 1;
    if (isStored && cause === 'change') ofChanges += 1;
  }
  return { stored, ofChanges };
}

/** Counts the deliveries of replays: those that were not tried yet, and those that were refused. */
export function countReplayed(deliveries: PendingById): { readonly untried: number; readonly refused: number } {
  let untried = 0;
  let refused = 0;
  for (const { cause, attempts } of deliveries.values()) {
    if (cause !== 'replay') continue;
    if (attempts === 0) untried += 1;
    else refused += 1;
  }
  return { untried, refused };
}

/**
 * Deletes the deliveries of a replay that was ended: all but the stored ones. Those under way are no longer part of it.
 *
 * @param stored the ids of the stored deliveries; ending a replay deletes its own
 */
export function endReplay(deliveries: PendingById, stored: ReadonlySet<string>): void {
  for (const [eventId, pending] of deliveries) {
    if (pending.cause !== 'replay' || stored.has(eventId)) continue;
    if (pending.isUnderWay) pending.cause = 'resend';
    else deliveries.delete(eventId);
  }
}

/** Returns the first position after `settledUpTo` whose delivery is not stored; infinity without one. */
export function firstUnstored(deliveries: PendingById, settledUpTo: number): number {
  let first = Number.POSITIVE_INFINITY;
  for (const { isStored, position } of deliveries.values())
    if (!isStored && position > settledUpTo && position < first) first = position;
  return first;
}

/**
 * Keeps the first `most` deliveries of new events, and those under way; drops later ones, to be read again.
 *
 * @param settledUpTo deliveries up to this position are stored with the next write, so they stay
 * @returns the position after which the feed is to be read; null if nothing was dropped
 */
export function dropBeyond(deliveries: PendingById, settledUpTo: number, most: number): number | null {
  let kept = 0;
  let end = settledUpTo;
  for (const { isStored, isUnderWay, position } of deliveries.values()) {
    if (isStored || position <= settledUpTo) continue;
    kept += 1;
    if (kept <= most || isUnderWay) end = Math.max(end, position);
  }
  if (kept <= most) return null;
  for (const [eventId, { isStored, position }] of deliveries)
    if (!isStored && position > end) deliveries.delete(eventId);
  return end;
}
