/** Describes the tables of deliveries. */
import { DAY_MS, HOUR_MS } from '../base/clock.ts';
import type { StoredTable } from '../storage/table.ts';

export const deliveryTables: readonly StoredTable[] = [
  {
    name: 'delivery',
    carried: { byCopy: 'events that a destination has not accepted' },
    grows: true,
    changes: { unrecorded: 'says what is left to send' },
  },
  {
    name: 'delivery_attempt',
    carried: { byCopy: 'recent attempts of this service to send events' },
    grows: true,
    changes: { unrecorded: 'tells what was sent lately' },
    kept: {
      job: 'delete old delivery attempts',
      ageMs: 30 * DAY_MS,
      by: 'at',
      key: ['destination_id', 'attempt_id'],
    },
  },
  {
    name: 'delivery_test',
    carried: { byCopy: 'counts for a rate limit' },
    grows: true,
    changes: { unrecorded: 'holds test events for an hour' },
    kept: {
      job: 'delete old test events',
      ageMs: HOUR_MS,
      by: 'asked_at',
      key: ['destination_id', 'event_id'],
    },
  },
];
