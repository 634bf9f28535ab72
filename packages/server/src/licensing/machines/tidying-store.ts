/** SQL that adds machines to the indexes of searches. */
import { countDue, dueRows } from '../../platform/jobs/due-store.ts';
import type { Tx } from '../../storage/contract/storage.ts';

const newMachines = dueRows('activation.index_new', {
  table: 'activation',
  key: ['license_key', 'fingerprint'],
  isDue: () => "d.unindexed_since is not null and d.unindexed_since > ''",
  hasMoment: false,
  order: 'd.unindexed_since',
  write: 'update activation set unindexed_since = null',
});

/**
 * Adds recently activated machines to the search indexes, the longest waiting first; returns their number. Searches
 * find them either way (insight/support/search-store.ts), so the clock of their activation does not matter. On
 * PostgreSQL only machines from nodes of an earlier version wait, and those from a copy of a SQLite file.
 */
export function indexNewMachines(tx: Tx, _before: string, most: number): Promise<number> {
  return countDue(tx, newMachines, null, most);
}
