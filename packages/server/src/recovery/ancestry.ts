/** How two databases are related of which one was restored from a backup of the other. */
import { walkEvents } from '../events/walk-store.ts';
import type { Sql } from '../storage/storage.ts';
import { hasTable, installationOf, presentEvents } from './state-store.ts';

/** Events of the restored database that are looked for at a time, and in all. */
const EVENTS_AT_ONCE = 500;
const MOST_EVENTS = 100_000;
/** Orders after every event. */
const LAST = 'evt_g';

/** What a kept database is to a restored one. */
export interface Ancestry {
  /**
   * When the restored database went its own way: the moment of its first change that the kept one does not know, as a
   * timestamp; null where there is none yet. What it had before is from the backup.
   */
  readonly divergedAt: string | null;
  /** Whether the kept database still has every event since the backup. */
  readonly hasAllEvents: boolean;
}

/**
 * Finds how a restored database and the one that was kept are related.
 *
 * @throws when they are of two installations, or when the kept one knows nothing later than the restored one
 */
export async function ancestryOf(restored: Sql, kept: Sql): Promise<Ancestry> {
  const [own, other] = [await installationOf(restored), await installationOf(kept)];
  if (own !== null && other !== null && own !== other)
    throw new Error('it is the database of another installation, and its keys and licenses are others');
  const { shared, divergedAt } = await compareEvents(restored, kept);
  const [youngest, youngestKept] = [await youngestEvent(restored), await youngestEvent(kept)];
  const known = shared ?? youngest;
  // An older backup knows less than the restored database; the same history may yet have lost a key.
  if (youngestKept < known || (youngestKept === known && youngest > known))
    throw new Error('it knows nothing that happened after the backup which was restored');
  return { divergedAt, hasAllEvents: shared !== null };
}

/** When the youngest event of a database happened, as a timestamp; '' where it has none. */
async function youngestEvent(sql: Sql): Promise<string> {
  if (!(await hasTable(sql, 'event'))) return '';
  const [event] = await walkEvents(sql, ['all'], LAST, 1);
  return event?.occurredAt ?? '';
}

/**
 * When the newest event happened that both have, and the oldest after it that the restored one has alone; null where there
 * is none. Notes do not count: they are kept for ever.
 */
async function compareEvents(restored: Sql, kept: Sql): Promise<{ shared: string | null; divergedAt: string | null }> {
  let divergedAt: string | null = null;
  if (!(await hasTable(restored, 'event')) || !(await hasTable(kept, 'event'))) return { shared: null, divergedAt };
  let after = LAST;
  for (let looked = 0; looked < MOST_EVENTS; looked += EVENTS_AT_ONCE) {
    const events = await walkEvents(restored, ['all'], after, EVENTS_AT_ONCE);
    const known = await presentEvents(
      kept,
      events.map(({ eventId }) => eventId),
    );
    for (const { eventId, type, occurredAt } of events) {
      if (type === 'license.noted') continue;
      if (known.has(eventId)) return { shared: occurredAt, divergedAt };
      divergedAt = occurredAt;
    }
    const last = events.at(-1);
    if (last === undefined) break;
    after = last.eventId;
  }
  // Without an event that both have it is not known which are the restored database's own.
  return { shared: null, divergedAt: null };
}
