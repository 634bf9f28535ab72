/** The jobs of the limits of discount codes. */
import { HOUR_MS } from '../clock.ts';
import type { Job } from '../jobs/job.ts';
import { deletingOld, tidying } from '../jobs/tidying.ts';

const deletingOldAttempts = deletingOld('redemption_attempts.delete_old', {
  table: 'redemption_attempts',
  key: ['address'],
  by: 'last_at',
});
const deletingOldTrials = deletingOld('trial_rate.delete_old', {
  table: 'trial_rate',
  key: ['network'],
  by: 'last_at',
});

export const discountCodeJobs = (): readonly Job[] => [
  tidying('delete old redemption attempts', { step: deletingOldAttempts, ageMs: HOUR_MS }),
  // A trial counts until the whole minute of its redemption is an hour old.
  tidying('delete old trial rates', { step: deletingOldTrials, ageMs: 2 * HOUR_MS }),
];
