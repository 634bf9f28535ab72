import { migration } from './migration.ts';

/** Indexes of two lists: the failing destinations of all owners, and the attempts of an event at all destinations. */
export const listsOfDestinations = migration(
  101,
  'lists_of_destinations',
  () => `
create index destination_progress_failing on destination_progress (destination_id) where failing_since is not null;
create index delivery_attempt_by_event on delivery_attempt (event_id, attempt_id);
`,
  'go on',
);
