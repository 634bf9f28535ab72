/** The jobs of license files. */
import { DAY_MS } from '../base/clock.ts';
import type { Job } from '../jobs/job.ts';
import { byRows, tidying } from '../jobs/tidying.ts';
import { uncountOldLicenseFiles } from './tidying-store.ts';

// Expired files hold a place in the count of their license until a call examines them, or this job.
export const licenseFileJobs = (): readonly Job[] => [
  tidying('count out expired license files', { step: byRows(uncountOldLicenseFiles), ageMs: DAY_MS }),
];
