import { migration } from './migration.ts';

/**
 * Bytes of kept replies per caller on the day that begins at `day_begins_at`. Nodes of the previous version keep
 * replies without counting them.
 */
export const keptReplyRoom = migration(
  70,
  'kept_reply_room',
  ({ text, integer, tableEnd }) => `
create table kept_reply_room (
  caller ${text} not null primary key,
  day_begins_at ${text} not null,
  bytes ${integer} not null
)${tableEnd};
create index kept_reply_room_by_day on kept_reply_room (day_begins_at);
`,
  'go on',
);
