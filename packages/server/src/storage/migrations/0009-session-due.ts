import { migration } from './migration.ts';

/**
 * The time of the next check whether a floating session has lapsed. It is never after the deadline and moves only when
 * it comes. Heartbeats move the deadline, which is in no index, so that each heartbeat writes only one row.
 */
export const sessionDue = migration(
  9,
  'session_due',
  ({ text }) => `
alter table activation add column session_due ${text};
update activation set session_due = session_deadline where session_deadline is not null;
drop index activation_by_deadline;
create index activation_by_due on activation (license_key, session_due) where session_due is not null;
`,
);
