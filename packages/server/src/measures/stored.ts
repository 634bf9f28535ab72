/** What is measured of the database by asking it: at intervals, whoever scrapes, so that a scrape waits for nothing. */
import type { Clock } from '../clock.ts';
import { countLiveSessions } from '../licenses/session-count-store.ts';
import { findSchemaVersion } from '../storage/schema-store.ts';
import type { Storage } from '../storage/storage.ts';
import type { Measures } from './measures.ts';

const INTERVAL_MS = 15_000;

/**
 * Asks now and then every 15 seconds, one time after the other. What cannot be answered stays as it was: that the database
 * is away is measured elsewhere.
 *
 * @returns stops: resolves when nothing is asked any more
 */
export function startMeasuringStored(storage: Storage, clock: Clock, measures: Measures): () => Promise<void> {
  let asking: Promise<void> | null = null;
  const ask = () => {
    asking ??= storage
      .read(async (sql) => {
        const { live, isComplete } = await countLiveSessions(sql, clock());
        measures.set('latchkey_live_sessions', {}, live);
        measures.set('latchkey_live_sessions_complete', {}, isComplete ? 1 : 0);
        measures.set('latchkey_schema_version', {}, await findSchemaVersion(sql));
      })
      .catch(() => {})
      .finally(() => (asking = null));
  };
  ask();
  const timer = setInterval(ask, INTERVAL_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await asking;
  };
}
