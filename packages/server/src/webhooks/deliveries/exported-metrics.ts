/** Exported metrics of deliveries. */

import { SECOND_MS } from '../../ground/base/clock.ts';
import { declareMetrics } from '../../ground/measures/metric.ts';
import type { SliceMetrics } from '../../platform/endpoint/slice-metrics.ts';
import type { DeliveryNews } from './delivery-news.ts';
import { OUTCOMES } from './request.ts';
import type { SenderState } from './sender-state.ts';

declare module '../../platform/endpoint/slice-metrics.ts' {
  interface Reports {
    readonly delivery: DeliveryNews;
    readonly sender: SenderState;
  }
}

/** Upper bounds of durations in seconds; a request takes at most 15, and its name look-up some more. */
const DELIVERY_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 60, 300] as const;

const metrics = declareMetrics({
  latchkey_sends_events: { type: 'gauge', help: '1 on the node that sends events, 0 on others.', labels: [] },
  latchkey_delivery_attempts_total: {
    type: 'counter',
    help: 'Requests to destinations, by outcome.',
    labels: ['outcome'],
  },
  latchkey_deliveries_failed_total: {
    type: 'counter',
    help: 'Events that a destination refused ten times; they are not sent again.',
    labels: [],
  },
  latchkey_deliveries_under_way: { type: 'gauge', help: 'Requests to destinations in progress.', labels: [] },
  latchkey_delivery_duration_seconds: {
    type: 'histogram',
    help: 'Time from the start of a request to a destination to the end of its answer.',
    labels: [],
    bounds: DELIVERY_SECONDS,
  },
  latchkey_delivery_delay_seconds: {
    type: 'histogram',
    help: 'Time from a change to the first request that sends it, except to failing destinations.',
    labels: [],
    bounds: DELIVERY_SECONDS,
  },
  latchkey_delivery_oldest_seconds: {
    type: 'gauge',
    help: 'Age of the oldest untried event of destinations that do not fail; 0 without one.',
    labels: [],
  },
  latchkey_feed_held_back_seconds: {
    type: 'gauge',
    help: 'Time for which an open transaction has held back events; 0 without one.',
    labels: [],
  },
});

export const deliveryMetrics: SliceMetrics = {
  metrics,
  ofReports(measures) {
    const attempts = new Map(
      OUTCOMES.map((outcome) => [outcome, measures.counter(metrics.latchkey_delivery_attempts_total, { outcome })]),
    );
    const failed = measures.counter(metrics.latchkey_deliveries_failed_total, {});
    const duration = measures.histogram(metrics.latchkey_delivery_duration_seconds, {});
    const delay = measures.histogram(metrics.latchkey_delivery_delay_seconds, {});
    const sender = ({ isSending, underWay, oldestMs, heldBackMs }: SenderState) => {
      measures.set(metrics.latchkey_sends_events, {}, isSending ? 1 : 0);
      measures.set(metrics.latchkey_deliveries_under_way, {}, underWay);
      measures.set(metrics.latchkey_delivery_oldest_seconds, {}, oldestMs / SECOND_MS);
      measures.set(metrics.latchkey_feed_held_back_seconds, {}, heldBackMs / SECOND_MS);
    };
    sender({ isSending: false, underWay: 0, oldestMs: 0, heldBackMs: 0 });
    return {
      sender,
      delivery(news) {
        if (news.kind === 'failed') failed.value += 1;
        if (news.kind !== 'attempted') return;
        for (const { outcome, durationMs, delayMs } of news.attempts) {
          const counter = attempts.get(outcome);
          if (counter !== undefined) counter.value += 1;
          duration.observe(durationMs / SECOND_MS);
          if (delayMs !== null) delay.observe(delayMs / SECOND_MS);
        }
      },
    };
  },
};
