import { migration } from './migration.ts';

/** Only successes are kept from now on, and the hash of the request is sealed with the answer: a request may hold a secret. */
export const keptReplies = migration(
  11,
  'kept_replies',
  () => `
delete from idempotent_reply where status >= 300;
alter table idempotent_reply drop column request_hash;
`,
);
