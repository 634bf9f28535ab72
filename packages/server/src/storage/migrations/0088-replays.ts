import { migration } from './migration.ts';

/**
 * Replays of past events to a destination, and the cause of each delivery. Nodes of the previous version send requested
 * deliveries like others, and leave replays alone.
 */
export const replays = migration(
  88,
  'replays',
  ({ text, integer, tableEnd }) => `
create table event_replay (
  destination_id ${text} not null primary key,
  -- an ordered UUID
  replay_id ${text} not null,
  since ${text} not null,
  -- null: until the replay was requested
  until ${text},
  -- JSON; 'null' for all types of the destination
  types ${text} not null,
  -- every event up to this position of the feed is settled, or waits in delivery
  position ${integer} not null,
  to_position ${integer} not null,
  -- events found so far
  sent ${integer} not null,
  asked_at ${text} not null
)${tableEnd};

-- change, resend or replay
alter table delivery add column cause ${text} not null default 'change';
`,
  'go on',
);
