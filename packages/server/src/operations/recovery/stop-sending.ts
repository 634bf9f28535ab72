/** Keeps a restored database from repeating events and mails that the replaced database may have sent. */

import { deleteSomeMails } from '../../customers/mail/store.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Storage, Tx } from '../../storage/contract/storage.ts';
import { pauseCopied } from '../../webhooks/destinations/change-many.ts';
import { deleteAll } from './delete-all.ts';
import { hasTable } from './state-store.ts';

/** Pauses every active destination; returns their number, 0 for a database that is older than destinations. */
export async function pauseDestinations(storage: Storage, origin: () => Promise<Origin>): Promise<number> {
  if (!(await storage.read((sql) => hasTable(sql, 'destination')))) return 0;
  const given = await origin();
  return storage.transaction((tx) => pauseCopied(tx, given));
}

/** Deletes every mail; returns their number, 0 for a database that is older than mails. */
export async function emptyOutbox(tx: Tx): Promise<number> {
  return (await hasTable(tx, 'mail')) ? deleteAll(tx, deleteSomeMails) : 0;
}
