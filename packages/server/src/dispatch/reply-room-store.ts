/**
 * Room for kept replies (idempotency.ts): each caller may have so many bytes of them kept on one day, UTC. The bytes are
 * counted on a row of the caller, under its lock, so the bound is exact also for calls that several nodes decide at once.
 * Deleting a reply gives no room back. The row begins anew with the next day, so a reply that a node of an earlier version
 * deletes, or that a copy left out, cannot put the count wrong. Since replies are kept for 24 hours, a caller holds those
 * of two days at most.
 */
import { DAY_MS, toTimestamp } from '../clock.ts';
import { statement, type Tx } from '../storage/storage.ts';

// A row of the next day comes from a node whose clock is a little ahead at midnight: its count goes on. One that begins
// later than that comes from a clock that was wrong, and begins anew.
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

/** Bytes of one caller. */
export interface RoomWanted {
  readonly caller: string;
  readonly bytes: number;
  /** The most that the caller may have kept on one day. */
  readonly mostBytes: number;
}

/**
 * Takes room for a reply. To be called last in a transaction: other calls of the caller wait until it ends.
 *
 * @returns whether there was room; where there was none, nothing is taken
 */
export async function takeRoom(tx: Tx, { caller, bytes, mostBytes }: RoomWanted, now: number): Promise<boolean> {
  if (bytes > mostBytes) return false;
  const dayBegins = now - (now % DAY_MS);
  const day = toTimestamp(dayBegins);
  return (await tx.run(take, caller, day, bytes, toTimestamp(dayBegins + DAY_MS), mostBytes)) > 0;
}
