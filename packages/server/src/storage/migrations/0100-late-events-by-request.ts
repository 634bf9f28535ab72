import { migration } from './migration.ts';

/**
 * SQLite: events enter the index by request late, too, together with the index by product (migration 0076). A batch
 * wrote one page of the index for every six activations; 512 events together fill 16. Look-ups by request find waiting
 * events in the small index of waiting events (platform/events/scan-store.ts).
 *
 * PostgreSQL enters events at once, so its index covers all events.
 */
export const lateEventsByRequest = migration(
  100,
  'late_events_by_request',
  ({ own }) =>
    own({
      sqlite: `drop index event_by_request;
create index event_by_request on event (request_id, product_id, event_id)
  where request_id is not null and product_id is not null and unindexed is null;
`,
      postgres: '',
    }),
  'go on',
);
