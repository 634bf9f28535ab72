/** Exported metrics of the events of shops. */

import { fromTimestamp, SECOND_MS } from '../../ground/base/clock.ts';
import { declareMetrics } from '../../ground/measures/metric.ts';
import type { SliceMetrics } from '../../platform/endpoint/slice-metrics.ts';
import { countInAttention, findOldestWaiting } from './event-store.ts';
import { SHOP_EVENT_STATES } from './inbox-state.ts';
import { SOURCE_NAMES } from './sources/source-list.ts';

const metrics = declareMetrics({
  latchkey_shop_events_total: {
    type: 'counter',
    help: 'Attempts of this node to apply events of shops, by seller and outcome.',
    labels: ['source', 'outcome'],
  },
  latchkey_shop_events_in_attention: {
    type: 'gauge',
    help: 'Events of shops that a person decides about, counted up to a bound.',
    labels: [],
  },
  latchkey_shop_event_oldest_seconds: {
    type: 'gauge',
    help: 'Age of the oldest event of a shop that is not applied yet; 0 if none waits. Events held for their sale do not count.',
    labels: [],
  },
});

export const connectorMetrics: SliceMetrics = {
  metrics,
  async ofDatabase(sql, now, measures) {
    measures.set(metrics.latchkey_shop_events_in_attention, {}, await countInAttention(sql));
    const oldest = await findOldestWaiting(sql);
    const age = oldest === null ? 0 : Math.max(0, now - fromTimestamp(oldest)) / SECOND_MS;
    measures.set(metrics.latchkey_shop_event_oldest_seconds, {}, age);
  },
  ofReports(measures) {
    const counters = new Map(
      SOURCE_NAMES.flatMap((source) =>
        SHOP_EVENT_STATES.map(
          (outcome) =>
            [
              `${source} ${outcome}`,
              measures.counter(metrics.latchkey_shop_events_total, { source, outcome }),
            ] as const,
        ),
      ),
    );
    return {
      shopEvent({ source, state }) {
        const counter = counters.get(`${source} ${state}`);
        if (counter !== undefined) counter.value += 1;
      },
    };
  },
};
