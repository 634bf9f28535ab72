/** Ends the sign-ins of a restored database: sessions that ended after the backup would otherwise be valid again. */
import { deleteSomeSessions } from '../../access/console/session-store.ts';
import { deleteAllCodes } from '../../access/console/sign-in-store.ts';
import { deleteSomeLinks } from '../../customers/self-service/link-store.ts';
import { deleteSomeCustomerSessions } from '../../customers/self-service/session-store.ts';
import { deleteSomeSignIns } from '../../customers/self-service/sign-in-store.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { deleteAll } from './delete-all.ts';

/** Numbers of ended sessions and links. */
export interface EndedSignIns {
  readonly sessions: number;
  readonly codes: number;
  /** Sessions and links of customers. */
  readonly ofCustomers: number;
}

/**
 * Ends every console session, including long-lived ones, and every sign-in link, used or not; and all sign-ins of
 * customers.
 */
export async function endSignIns(tx: Tx): Promise<EndedSignIns> {
  const sessions = await deleteAll(tx, deleteSomeSessions);
  return { sessions, codes: await deleteAllCodes(tx), ofCustomers: await endSignInsOfCustomers(tx) };
}

async function endSignInsOfCustomers(tx: Tx): Promise<number> {
  await deleteAll(tx, deleteSomeSignIns);
  return (await deleteAll(tx, deleteSomeCustomerSessions)) + (await deleteAll(tx, deleteSomeLinks));
}
