/** The jobs of replies that are kept for safe retries (runtime/dispatch/idempotency.ts). */
import type { Job } from '../jobs/job.ts';
import { tidying } from '../jobs/tidying.ts';
import { deleteOldReplies, REPLIES_KEPT_MS } from './reply-store.ts';

export const keptReplyJobs = (): readonly Job[] => [
  tidying('delete old idempotent replies', { step: deleteOldReplies, ageMs: REPLIES_KEPT_MS }),
];
