/** Forgets a customer in the tables of self-service: the rows have no purpose without their address. */
import type { Tx } from '../../storage/contract/storage.ts';
import { forgetLinks } from './link-store.ts';
import { forgetCustomerSessions } from './session-store.ts';
import { forgetSignIns } from './sign-in-store.ts';

/** Ends the sign-ins, sessions and links of an address. */
export async function endAccessOf(tx: Tx, emailFolded: string): Promise<void> {
  await forgetSignIns(tx, emailFolded);
  await forgetCustomerSessions(tx, emailFolded);
  await forgetLinks(tx, emailFolded);
}
