/** Pauses the destinations of a restored database: the database that it replaces may have sent the same events. */
import { pauseCopied } from '../destinations/change-many.ts';
import type { Origin } from '../events/event.ts';
import type { Storage } from '../storage/storage.ts';
import { hasTable } from './state-store.ts';

/** Pauses every active destination; returns their number, 0 for a database that is older than destinations. */
export async function pauseDestinations(storage: Storage, origin: () => Promise<Origin>): Promise<number> {
  if (!(await storage.read((sql) => hasTable(sql, 'destination')))) return 0;
  const given = await origin();
  return storage.transaction((tx) => pauseCopied(tx, given));
}
