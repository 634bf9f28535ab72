/** Finds how two databases are related, one of which was restored from a backup of the other. */
import type { Event } from '../events/event.ts';
import { scanEvents } from '../events/scan-store.ts';
import type { Sql } from '../storage/storage.ts';
import { hasTable, installationOf, presentEvents } from './state-store.ts';

/** Events of the restored database that are searched for at a time, and in total. */
const EVENTS_AT_ONCE = 500;
const MOST_EVENTS = 100_000;
/** Sorts after the id of every event. */
const LAST = 'evt_g';

/** The relation of a kept database to a restored one. */
export interface Ancestry {
  /**
   * Timestamp of the first change of the restored database that the kept one lacks; null if there is none. Older rows
   * come from the backup.
   */
  readonly divergedAt: string | null;
  /**
   * The id of the newest event that both have. Null if there is none: the kept database may lack events since the
   * backup then. Otherwise it has all of them, because the oldest are deleted first.
   */
  readonly lastShared: string | null;
}

/**
 * Finds how a restored database and the kept one are related.
 *
 * @throws if they belong to different installations, or if the kept one has nothing later than the restored one
 */
export async function ancestryOf(restored: Sql, kept: Sql): Promise<Ancestry> {
  const [own, other] = [await installationOf(restored), await installationOf(kept)];
  if (own !== null && other !== null && own !== other)
    throw new Error('it belongs to another installation, which has other keys and licenses');
  const { shared, divergedAt } = await compareEvents(restored, kept);
  const [youngest, youngestKept] = [await youngestEvent(restored), await youngestEvent(kept)];
  const known = shared?.occurredAt ?? youngest;
  // An older backup has fewer events than the restored database. With equal events, the kept one may still have dropped
  // a key.
  if (youngestKept < known || (youngestKept === known && youngest > known))
    throw new Error('it has no change that is newer than the restored backup');
  return { divergedAt, lastShared: shared?.eventId ?? null };
}

/** Timestamp of the newest event of a database; '' if it has none. */
async function youngestEvent(sql: Sql): Promise<string> {
  if (!(await hasTable(sql, 'event'))) return '';
  const [event] = await scanEvents(sql, ['all'], LAST, 1);
  return event?.occurredAt ?? '';
}

/**
 * The newest event that both have, and the timestamp of the oldest later event that only the restored one has; null if
 * there is none. Notes do not count, because they are kept for ever.
 */
async function compareEvents(
  restored: Sql,
  kept: Sql,
): Promise<{ shared: Pick<Event, 'eventId' | 'occurredAt'> | null; divergedAt: string | null }> {
  let divergedAt: string | null = null;
  if (!(await hasTable(restored, 'event')) || !(await hasTable(kept, 'event'))) return { shared: null, divergedAt };
  let after = LAST;
  for (let looked = 0; looked < MOST_EVENTS; looked += EVENTS_AT_ONCE) {
    const events = await scanEvents(restored, ['all'], after, EVENTS_AT_ONCE);
    const known = await presentEvents(
      kept,
      events.map(({ eventId }) => eventId),
    );
    for (const { eventId, type, occurredAt } of events) {
      if (type === 'license.noted') continue;
      if (known.has(eventId)) return { shared: { eventId, occurredAt }, divergedAt };
      divergedAt = occurredAt;
    }
    const last = events.at(-1);
    if (last === undefined) break;
    after = last.eventId;
  }
  // Without a shared event, the restored database's own events cannot be told apart.
  return { shared: null, divergedAt: null };
}
