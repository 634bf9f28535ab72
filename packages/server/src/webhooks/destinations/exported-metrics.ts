/** The exported number of destinations. */

import { declareMetrics } from '../../ground/measures/metric.ts';
import type { SliceMetrics } from '../../platform/endpoint/slice-metrics.ts';
import { countDestinationStates } from './count-store.ts';

const metrics = declareMetrics({
  latchkey_destinations: {
    type: 'gauge',
    help: 'Destinations of events in the database, by state, counted up to a bound.',
    labels: ['state'],
  },
});

export const destinationMetrics: SliceMetrics = {
  metrics,
  async ofDatabase(sql, _now, measures) {
    for (const [state, count] of Object.entries(await countDestinationStates(sql)))
      measures.set(metrics.latchkey_destinations, { state }, count);
  },
};
