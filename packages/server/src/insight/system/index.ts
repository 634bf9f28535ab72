/** The endpoints of the system, in the order of rules 4.14. */
import type { Slice } from '../../platform/slice/slice.ts';
import { systemMetrics } from './exported-metrics.ts';
import { getSystem } from './get-system.ts';

export const system: Slice = {
  sections: [
    {
      title: 'System',
      description: 'The running version and its configuration. For the operator only.',
      endpoints: [getSystem],
    },
  ],
  metrics: [systemMetrics],
};
