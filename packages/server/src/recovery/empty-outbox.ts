/** Empties the outbox of a restored database: the database that it replaces may have sent the same mails. */
import { deleteSomeMails } from '../mail/store.ts';
import type { Tx } from '../storage/storage.ts';
import { deleteAll } from './delete-all.ts';
import { hasTable } from './state-store.ts';

/** Deletes every mail; returns their number, 0 for a database that is older than mails. */
export async function emptyOutbox(tx: Tx): Promise<number> {
  if (!(await hasTable(tx, 'mail'))) return 0;
  return deleteAll(tx, deleteSomeMails);
}
