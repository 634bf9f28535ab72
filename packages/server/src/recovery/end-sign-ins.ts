/** Ends the sign-ins of a restored database: sessions that ended after the backup would otherwise be valid again. */
import { deleteSomeSessions } from '../console/session-store.ts';
import { deleteAllCodes } from '../console/sign-in-store.ts';
import type { Tx } from '../storage/storage.ts';
import { hasTable } from './state-store.ts';

const SESSIONS_AT_ONCE = 500;

/** Numbers of ended sessions and links. */
export interface EndedSignIns {
  readonly sessions: number;
  readonly codes: number;
}

/** Ends every console session, including long-lived ones, and every sign-in link, used or not. */
export async function endSignIns(tx: Tx): Promise<EndedSignIns> {
  if (!(await hasTable(tx, 'operator_key'))) return { sessions: 0, codes: 0 };
  let sessions = 0;
  let ended = SESSIONS_AT_ONCE;
  while (ended === SESSIONS_AT_ONCE) {
    ended = await deleteSomeSessions(tx, SESSIONS_AT_ONCE);
    sessions += ended;
  }
  return { sessions, codes: await deleteAllCodes(tx) };
}
