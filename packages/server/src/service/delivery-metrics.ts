/** Measures deliveries, from the news and the state of the sender. */
import { OUTCOMES } from '../deliveries/request.ts';
import type { SenderState } from '../deliveries/sender-state.ts';
import type { DeliveryNews } from '../engines/delivery-thread.ts';
import type { Measures } from '../measures/measures.ts';

const SECOND_MS = 1_000;

/** Listeners of the sender that measure. */
export interface DeliveryMetrics {
  readonly news: (news: DeliveryNews) => void;
  readonly state: (state: SenderState) => void;
}

/** Starts to measure; a node that sends nothing exports zeros. */
export function measureDeliveries(measures: Measures): DeliveryMetrics {
  const attempts = new Map(
    OUTCOMES.map((outcome) => [outcome, measures.counter('latchkey_delivery_attempts_total', { outcome })]),
  );
  const failed = measures.counter('latchkey_deliveries_failed_total', {});
  const duration = measures.histogram('latchkey_delivery_duration_seconds', {});
  const delay = measures.histogram('latchkey_delivery_delay_seconds', {});
  const state = ({ isSending, underWay, oldestMs, heldBackMs }: SenderState) => {
    measures.set('latchkey_sends_events', {}, isSending ? 1 : 0);
    measures.set('latchkey_deliveries_under_way', {}, underWay);
    measures.set('latchkey_delivery_oldest_seconds', {}, oldestMs / SECOND_MS);
    measures.set('latchkey_feed_held_back_seconds', {}, heldBackMs / SECOND_MS);
  };
  state({ isSending: false, underWay: 0, oldestMs: 0, heldBackMs: 0 });
  return {
    state,
    news(news) {
      if (news.kind === 'failed') failed.value += 1;
      if (news.kind !== 'attempted') return;
      const counter = attempts.get(news.outcome);
      if (counter !== undefined) counter.value += 1;
      duration.observe(news.durationMs / SECOND_MS);
      if (news.delayMs !== null) delay.observe(news.delayMs / SECOND_MS);
    },
  };
}
