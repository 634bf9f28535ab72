/** Whether any node sends events, by the lease of the job: destinations may be active while none does. */
import { toTimestamp } from '../../ground/base/clock.ts';
import { counted } from '../../ground/base/count-words.ts';
import { isLeaseHeld } from '../../platform/jobs/lease-store.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { countActiveSince } from './count-store.ts';
import type { Destination } from './destination.ts';

/** Name of the job that sends events, of its lease, and of the actor in the events that it records. */
export const SENDING = 'send events';

/** The reason in replies for which nothing is sent to an active destination. */
export const NO_NODE_SENDS = 'no_node_sends';

/**
 * Time for which no node may send although all is well: a node starts, or takes over from one that was killed, and the
 * sender of a new or resumed destination begins.
 */
const USUAL_PAUSE_MS = 30_000;

/** Returns whether a node sends events, or did a moment ago. @param now milliseconds since 1970 */
export function isAnyNodeSending(sql: Sql, now: number): Promise<boolean> {
  return isLeaseHeld(sql, SENDING, now - USUAL_PAUSE_MS, now);
}

/** Returns whether a sender would have begun to send to a destination by now. */
export function isLongActive({ state, updatedAt }: Pick<Destination, 'state' | 'updatedAt'>, now: number): boolean {
  return state === 'active' && updatedAt <= longAgo(now);
}

/** Returns a warning for the operator, as a sentence without a full stop; null if events are sent, or none are due. */
export async function sendingWarning(sql: Sql, now: number): Promise<string | null> {
  if (await isAnyNodeSending(sql, now)) return null;
  const active = await countActiveSince(sql, longAgo(now));
  if (active === 0) return null;
  return (
    `no node sends events, and they wait for ${counted(active, 'active destination')}: run a node with ` +
    'LATCHKEY_DELIVERIES=on and the LATCHKEY_SECRETS_KEY of the destinations, which reaches their addresses'
  );
}

function longAgo(now: number): string {
  return toTimestamp(now - USUAL_PAUSE_MS);
}
