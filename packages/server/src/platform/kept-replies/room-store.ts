/**
 * Bounds the stored replies (runtime/dispatch/idempotency.ts): each caller may store a number of bytes per UTC day. The
 * bytes are counted in one row per caller, under its lock, so the bound is exact even for calls that several nodes
 * decide concurrently. Deleting a reply frees no room. The row is reset with the next day, so replies that an older
 * node deletes, or that a copy omits, cannot distort the count. Replies are stored for 24 hours, so a caller holds at
 * most two days' worth.
 */
import { DAY_MS, toTimestamp } from '../../ground/base/clock.ts';
import { statement, type Tx } from '../../storage/contract/storage.ts';

// A row of the next day comes from a node whose clock is slightly fast at midnight, so its count continues. A row that
// begins later than that comes from a wrong clock and is reset.
const take = statement(
  'kept_reply_room.take',
  `insert into kept_reply_room (caller, day_begins_at, bytes) values ($1, $2, $3)
   on conflict (caller) do update set
     bytes = excluded.bytes + case
       when kept_reply_room.day_begins_at >= $2 and kept_reply_room.day_begins_at <= $4 then kept_reply_room.bytes
       else 0 end,
     day_begins_at = case
       when kept_reply_room.day_begins_at >= $2 and kept_reply_room.day_begins_at <= $4
         then kept_reply_room.day_begins_at
       else $2 end
   where kept_reply_room.day_begins_at < $2 or kept_reply_room.day_begins_at > $4
     or kept_reply_room.bytes + $3 <= $5`,
);

/** Bytes that one caller wants to store. */
export interface RoomWanted {
  readonly caller: string;
  readonly bytes: number;
  /** Maximum number of bytes that the caller may store on one day. */
  readonly maxBytes: number;
}

/**
 * Takes room for a reply. Call it last in a transaction, because other calls of the caller wait until the transaction
 * ends.
 *
 * @returns true if there was room; otherwise nothing is taken
 */
export async function takeRoom(tx: Tx, { caller, bytes, maxBytes }: RoomWanted, now: number): Promise<boolean> {
  if (bytes > maxBytes) return false;
  const dayBegins = now - (now % DAY_MS);
  const day = toTimestamp(dayBegins);
  return (await tx.run(take, caller, day, bytes, toTimestamp(dayBegins + DAY_MS), maxBytes)) > 0;
}
