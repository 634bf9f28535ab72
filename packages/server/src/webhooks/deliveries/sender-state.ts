/** The state of the sender, for metrics. */
import { eventTimeOf } from '../../platform/events/event.ts';
import type { Delivery, Outbox } from './outbox.ts';

/** The state of the sender of one node. */
export interface SenderState {
  /** True while this node holds the lease. */
  readonly isSending: boolean;
  /** Requests in progress. */
  readonly underWay: number;
  /** See {@link oldestUntried}. */
  readonly oldestMs: number;
  /** Time for which an open transaction has held back the feed, in milliseconds; 0 without one. */
  readonly heldBackMs: number;
}

/**
 * Returns the age in milliseconds of the oldest event that no destination has refused and that waits for one that does
 * not fail; 0 without one. Requested deliveries of past events do not count.
 *
 * @param now milliseconds since 1970
 */
export function oldestUntried(outboxes: Iterable<Outbox>, now: number): number {
  let oldest: Delivery | undefined;
  for (const outbox of outboxes) {
    if (outbox.isFailing || outbox.isClosed) continue;
    for (const delivery of outbox.undelivered)
      if (
        delivery.cause === 'change' &&
        delivery.attempts === 0 &&
        delivery.position < (oldest?.position ?? Number.POSITIVE_INFINITY)
      )
        oldest = delivery;
  }
  return oldest === undefined ? 0 : Math.max(0, now - eventTimeOf(oldest.eventId));
}
