/** Logs deliveries. URLs are reduced to their origins, because a path may be secret. */
import { LRUCache } from 'lru-cache';
import type { Log } from '../../platform/senders/log.ts';
import type { DeliveryNews } from './delivery-news.ts';

/** The feed is logged as held back once a transaction has been open for this long. */
const HELD_BACK_MS = 10_000;
/** Receivers whose wrong clocks are remembered: creators can name any number of addresses, one after the other. */
const MAX_REMEMBERED = 1_000;

/**
 * Returns a listener that logs. It reports each wrong clock of a receiver, and each transaction that holds back the
 * feed, once.
 */
export function logDeliveries(logger: Log): (news: DeliveryNews) => void {
  const differing = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  let heldBackMs = 0;
  return (news) => {
    switch (news.kind) {
      case 'failing': {
        const { destinationId, origin, error } = news;
        return logger.warn({ event: 'destination.failing', destinationId, origin, error });
      }
      case 'back': {
        const { destinationId, origin } = news;
        return logger.warn({ event: 'destination.back', destinationId, origin });
      }
      case 'disabled': {
        const { destinationId, origin, reason } = news;
        return logger.error({ event: 'destination.disabled', destinationId, origin, reason });
      }
      case 'failed': {
        const { destinationId, eventId } = news;
        return logger.warn({ event: 'delivery.failed', destinationId, eventId });
      }
      case 'clock differs': {
        const { origin, differenceMs } = news;
        if (differing.get(origin) !== undefined) return;
        differing.set(origin, true);
        return logger.warn({ event: 'delivery.clock_differs', origin, differenceMs });
      }
      case 'held back': {
        const isNew = news.milliseconds >= HELD_BACK_MS && heldBackMs < HELD_BACK_MS;
        heldBackMs = news.milliseconds;
        if (isNew) logger.warn({ event: 'feed.held_back', milliseconds: Math.round(news.milliseconds) });
      }
    }
  };
}
