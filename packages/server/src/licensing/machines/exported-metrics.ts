/** Exported metrics of live sessions. */

import { declareMetrics } from '../../ground/measures/metric.ts';
import type { SliceMetrics } from '../../platform/endpoint/slice-metrics.ts';
import { countLiveSessions } from './session-count-store.ts';

const metrics = declareMetrics({
  latchkey_live_sessions: { type: 'gauge', help: 'Live floating sessions, counted up to a bound.', labels: [] },
  latchkey_live_sessions_complete: {
    type: 'gauge',
    help: '1 if latchkey_live_sessions counts all sessions; 0 if there are more than it counts.',
    labels: [],
  },
});

export const machineMetrics: SliceMetrics = {
  metrics,
  async ofDatabase(sql, now, measures) {
    const { live, isComplete } = await countLiveSessions(sql, now);
    measures.set(metrics.latchkey_live_sessions, {}, live);
    measures.set(metrics.latchkey_live_sessions_complete, {}, isComplete ? 1 : 0);
  },
};
