/** Measures the database by querying it at intervals, independently of scrapes, so that a scrape waits for nothing. */
import { countDestinationStates } from '../destinations/count-store.ts';
import type { Job } from '../jobs/job.ts';
import { countLiveSessions } from '../machines/session-count-store.ts';
import { countWaitingMails } from '../mail/store.ts';
import type { Measures } from '../measures/measures.ts';
import { findSchemaVersion } from '../storage/schema-store.ts';
import type { Sql } from '../storage/storage.ts';
import { describeDatabase } from '../system/database-store.ts';

const INTERVAL_MS = 15_000;

/** The job that measures: at the start and every 15 seconds. */
export function measuringStored(measures: Measures): Job {
  return {
    name: 'measure what is stored',
    every: INTERVAL_MS,
    leased: false,
    isAtStart: true,
    async run({ storage, clock }) {
      // A failed query leaves the values unchanged, because the availability of the database is measured elsewhere.
      await storage.read((sql) => measure(sql, clock(), measures)).catch(() => {});
    },
  };
}

async function measure(sql: Sql, now: number, measures: Measures): Promise<void> {
  const { live, isComplete } = await countLiveSessions(sql, now);
  measures.set('latchkey_live_sessions', {}, live);
  measures.set('latchkey_live_sessions_complete', {}, isComplete ? 1 : 0);
  const { bytes } = await describeDatabase(sql);
  // On SQLite, the size comes from the files (disk.ts).
  if (bytes !== null) measures.set('latchkey_database_bytes', {}, bytes);
  const destinations = Object.entries(await countDestinationStates(sql));
  for (const [state, count] of destinations) measures.set('latchkey_destinations', { state }, count);
  measures.set('latchkey_mails_waiting', {}, await countWaitingMails(sql));
  measures.set('latchkey_schema_version', {}, await findSchemaVersion(sql));
}
