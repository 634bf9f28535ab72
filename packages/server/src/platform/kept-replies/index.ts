/** Kept replies: the tables and the jobs. */
import { keptReplyJobs } from './jobs.ts';
import { keptReplyTables } from './tables.ts';

export const keptReplies = {
  tables: keptReplyTables,
  jobs: keptReplyJobs,
};
