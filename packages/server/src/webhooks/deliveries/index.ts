/** Deliveries of events, in the order of rules 4.16. */

import type { Slice } from '../../platform/slice/slice.ts';
import { deliveryMetrics } from './exported-metrics.ts';
import { listDeliveries } from './list-deliveries.ts';
import { listDeliveryAttempts } from './list-delivery-attempts.ts';
import { logDeliveries } from './log.ts';
import { previewEvent } from './preview-event.ts';
import { replayEvents } from './replay-events.ts';
import { resendEvents } from './resend-events.ts';
import { deliveryTables } from './tables.ts';
import { testDestination } from './test-destination.ts';

export const deliveries: Slice = {
  sections: [
    {
      title: 'Deliveries of events',
      description:
        'What was sent to a destination, and what was not accepted. For the operator, and for creators of their own destinations.',
      endpoints: [listDeliveries, listDeliveryAttempts, testDestination, resendEvents, replayEvents, previewEvent],
    },
  ],
  tables: deliveryTables,
  metrics: [deliveryMetrics],
  logs: (log) => ({ delivery: logDeliveries(log) }),
};
