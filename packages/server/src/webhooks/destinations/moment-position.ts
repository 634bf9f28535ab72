/** Positions of the feed by time, for replays. */
import { MINUTE_MS } from '../../ground/base/clock.ts';
import { findPositionBefore } from '../../platform/events/feed-store.ts';
import type { Sql } from '../../storage/contract/storage.ts';

/** An event may be committed this much later than its time: a call waits for its turn and for locks. */
const LATE_MS = 2 * MINUTE_MS;

/**
 * Returns a position before every event of a moment and later, and so after some earlier ones, as far as the clocks of
 * the nodes agree.
 */
export function positionSince(sql: Sql, moment: number): Promise<number> {
  return findPositionBefore(sql, moment - LATE_MS);
}

/** Returns a position after every event before a moment, and so after some later ones. */
export function positionUntil(sql: Sql, moment: number): Promise<number> {
  return findPositionBefore(sql, moment + LATE_MS);
}
