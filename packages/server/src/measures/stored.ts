/** Measures the database by querying it at intervals, independently of scrapes, so that a scrape waits for nothing. */
import type { Clock } from '../clock.ts';
import { countLiveSessions } from '../licenses/session-count-store.ts';
import { findSchemaVersion } from '../storage/schema-store.ts';
import type { Storage } from '../storage/storage.ts';
import { describeDatabase } from '../system/database-store.ts';
import type { Measures } from './measures.ts';

const INTERVAL_MS = 15_000;

/**
 * Queries now and then every 15 seconds, never concurrently. A failed query leaves the values unchanged, because the
 * availability of the database is measured elsewhere.
 *
 * @returns a function that stops; it resolves when no query is in progress
 */
export function startMeasuringStored(storage: Storage, clock: Clock, measures: Measures): () => Promise<void> {
  let asking: Promise<void> | null = null;
  const ask = () => {
    asking ??= storage
      .read(async (sql) => {
        const { live, isComplete } = await countLiveSessions(sql, clock());
        measures.set('latchkey_live_sessions', {}, live);
        measures.set('latchkey_live_sessions_complete', {}, isComplete ? 1 : 0);
        const { bytes } = await describeDatabase(sql);
        // The files of SQLite tell it.
        if (bytes !== null) measures.set('latchkey_database_bytes', {}, bytes);
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
