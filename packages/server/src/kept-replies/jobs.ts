/** The jobs of what is kept for safe retries (dispatch/idempotency.ts). */
import { DAY_MS } from '../clock.ts';
import type { Job } from '../jobs/job.ts';
import { deletingOld, tidying } from '../jobs/tidying.ts';
import { KEPT_MS } from '../retention.ts';
import { deleteOldReplies } from './reply-store.ts';

const deletingOldRoom = deletingOld('kept_reply_room.delete_old', {
  table: 'kept_reply_room',
  key: ['caller'],
  by: 'day_begins_at',
});

export const keptReplyJobs = (): readonly Job[] => [
  tidying('delete old idempotent replies', { step: deleteOldReplies, ageMs: KEPT_MS.safeRetries }),
  // Late, so that nodes whose clocks differ agree that the day is over.
  tidying('delete old room of replies', { step: deletingOldRoom, ageMs: 2 * DAY_MS }),
];
