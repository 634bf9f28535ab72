import { migration } from './migration.ts';

/**
 * Only successful replies are kept. The request's hash is encrypted with the reply, because a request may hold a
 * secret.
 */
export const keptReplies = migration(
  11,
  'kept_replies',
  () => `
delete from idempotent_reply where status >= 300;
alter table idempotent_reply drop column request_hash;
`,
);
