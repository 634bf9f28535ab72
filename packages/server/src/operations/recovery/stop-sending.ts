/** Keeps a restored database from repeating events and e-mails that the replaced database may have sent. */

import { deleteSomeMails } from '../../customers/mail/store.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Storage, Tx } from '../../storage/contract/storage.ts';
import { pauseCopied } from '../../webhooks/destinations/change-many.ts';
import { deleteAll } from './delete-all.ts';

/** Pauses every active destination; returns their number. */
export async function pauseDestinations(storage: Storage, origin: () => Promise<Origin>): Promise<number> {
  const given = await origin();
  return storage.transaction((tx) => pauseCopied(tx, given));
}

/** Deletes every e-mail of the outbox; returns their number. */
export const emptyOutbox = (tx: Tx): Promise<number> => deleteAll(tx, deleteSomeMails);
