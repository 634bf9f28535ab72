/** Describes the tables of deliveries. */
import { DAY_MS, HOUR_MS } from '../../ground/base/clock.ts';
import type { StoredTable } from '../../storage/contract/table.ts';

export const deliveryTables: readonly StoredTable[] = [
  {
    name: 'delivery',
    carried: { byCopy: 'events that a destination has not accepted' },
    replacedKey: { stays: 'belongs to an event' },
    grows: true,
    changes: { unrecorded: 'work left for the sender, not a decision' },
  },
  {
    name: 'delivery_attempt',
    carried: { byCopy: 'recent attempts of this service to send events' },
    replacedKey: { stays: 'belongs to an event' },
    grows: true,
    changes: { unrecorded: 'a log of the sender, not a decision' },
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
    changes: { unrecorded: 'test events, kept for an hour' },
    kept: {
      job: 'delete old test events',
      ageMs: HOUR_MS,
      by: 'asked_at',
      key: ['destination_id', 'event_id'],
    },
  },
];
