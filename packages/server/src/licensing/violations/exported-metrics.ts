/** The exported number of opened violations. */

import { declareMetrics } from '../../ground/measures/metric.ts';
import type { SliceMetrics } from '../../platform/endpoint/slice-metrics.ts';

const metrics = declareMetrics({
  latchkey_violations_total: { type: 'counter', help: 'Violations that were opened, by type.', labels: ['type'] },
});

export const violationMetrics: SliceMetrics = {
  metrics,
  ofChange({ type, after }, measures) {
    if (type === 'violation.opened')
      measures.counter(metrics.latchkey_violations_total, { type: String(after?.type) }).value += 1;
  },
};
