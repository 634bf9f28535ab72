/** Finds how two databases are related, one of which was restored from a backup of the other. */
import type { Event } from '../../platform/events/event.ts';
import { scanEvents } from '../../platform/events/scan-store.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { eventPages, installationOf, LAST_EVENT, presentWithPredecessors } from './state-store.ts';

/** Events of one database that are searched for in the other at a time, and in total. */
const EVENTS_AT_ONCE = 500;
const MAX_EVENTS = 100_000;

/** The relation of a kept database to a restored one. */
export interface Ancestry {
  /**
   * Timestamp of the first change of the restored database that the kept one lacks; null if there is none. Older rows
   * come from the backup.
   */
  readonly divergedAt: string | null;
  /**
   * True if the kept database has all of its events since the backup: both have an event, and the oldest are deleted
   * first.
   */
  readonly hasAllEvents: boolean;
}

/**
 * Finds how a restored database and the kept one are related.
 *
 * @throws if they belong to different installations, or if the kept one has no change since the backup
 */
export async function ancestryOf(restored: Sql, kept: Sql): Promise<Ancestry> {
  const [own, other] = [await installationOf(restored), await installationOf(kept)];
  if (own !== null && other !== null && own !== other)
    throw new Error('it belongs to another installation, which has other keys and licenses');
  const { sharedAt, divergedAt } = await compareEvents(restored, kept);
  const [youngest, youngestKept] = [await youngestEvent(restored), await youngestEvent(kept)];
  const known = sharedAt ?? youngest;
  // An older backup has fewer events than the restored database. With equal events, the kept one may still have dropped
  // a key. Its changes since the backup may be dated before it, by a clock that was put back.
  const isOlder = youngestKept < known || (youngestKept === known && youngest > known);
  if (isOlder && !(await hasChangeOfItsOwn(kept, restored)))
    throw new Error('it has no change that is newer than the restored backup');
  return { divergedAt, hasAllEvents: sharedAt !== null };
}

/** Timestamp of the newest event of a database; '' if it has none. */
async function youngestEvent(sql: Sql): Promise<string> {
  const [event] = await scanEvents(sql, ['all'], LAST_EVENT, 1);
  return event?.occurredAt ?? '';
}

/**
 * Timestamps of the newest event that both have, and of the oldest later event that only the restored one has; null if
 * there is none.
 */
async function compareEvents(
  restored: Sql,
  kept: Sql,
): Promise<{ sharedAt: string | null; divergedAt: string | null }> {
  let divergedAt: string | null = null;
  for await (const { occurredAt, isShared } of eventsBeside(restored, kept)) {
    if (isShared) return { sharedAt: occurredAt, divergedAt };
    divergedAt = occurredAt;
  }
  // Without a shared event, the restored database's own events cannot be told apart.
  return { sharedAt: null, divergedAt: null };
}

/**
 * Returns true if a database has an event that another one lacks, and that was not deleted there for its age: both have
 * an older one, or the event before it of the same license.
 */
async function hasChangeOfItsOwn(database: Sql, other: Sql): Promise<boolean> {
  let hasOwn = false;
  for await (const { isShared, followsShared } of eventsBeside(database, other)) {
    if (isShared ? hasOwn : followsShared) return true;
    hasOwn ||= !isShared;
  }
  return false;
}

/** An event of one database, and whether another one has it, and has the event before it of the same license. */
interface ComparedEvent extends Pick<Event, 'occurredAt'> {
  readonly isShared: boolean;
  readonly followsShared: boolean;
}

/** Yields the events of a database, the newest first. Notes are left out, because they are kept for ever. */
async function* eventsBeside(database: Sql, other: Sql): AsyncGenerator<ComparedEvent, undefined> {
  let looked = 0;
  for await (const events of eventPages(LAST_EVENT, (after) => scanEvents(database, ['all'], after, EVENTS_AT_ONCE))) {
    const known = await presentWithPredecessors(other, events);
    for (const { eventId, previousEventId, type, occurredAt } of events) {
      if (type === 'license.noted') continue;
      const followsShared = previousEventId !== null && known.has(previousEventId);
      yield { occurredAt, isShared: known.has(eventId), followsShared };
    }
    looked += EVENTS_AT_ONCE;
    if (looked >= MAX_EVENTS) return;
  }
}
