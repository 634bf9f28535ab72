import { migration } from './migration.ts';

/**
 * When to look whether a floating session has lapsed: never after its deadline, and moved only when it comes. Signs of
 * life move the deadline, which is in no index, so that each of them writes one row and nothing else.
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
