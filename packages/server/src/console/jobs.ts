/** The jobs of console sessions and their limits. */
import { DAY_MS, HOUR_MS } from '../clock.ts';
import type { Job } from '../jobs/job.ts';
import { deletingOld, tidying } from '../jobs/tidying.ts';

const deletingOldSessions = deletingOld('console_session.delete_old', {
  table: 'console_session',
  key: ['session_id'],
  by: 'expires_at',
});
const deletingOldCodes = deletingOld('sign_in_code.delete_old', {
  table: 'sign_in_code',
  key: ['hash'],
  by: 'expires_at',
});
const deletingOldSignIns = deletingOld('sign_in_rate.delete_old', {
  table: 'sign_in_rate',
  key: ['source', 'name'],
  by: 'last_at',
});

export const consoleJobs = (): readonly Job[] => [
  // Late, so that nodes whose clocks differ agree that they are over.
  tidying('delete old console sessions', { step: deletingOldSessions, ageMs: DAY_MS }),
  tidying('delete old sign-in codes', { step: deletingOldCodes, ageMs: HOUR_MS }),
  // A sign-in counts until its whole minute is an hour old.
  tidying('delete old sign-in rates', { step: deletingOldSignIns, ageMs: 2 * HOUR_MS }),
];
