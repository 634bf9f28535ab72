/** The jobs of license files. */
import { DAY_MS } from '../../ground/base/clock.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { byRows, tidying } from '../../platform/jobs/tidying.ts';
import { uncountOldLicenseFiles } from './tidying-store.ts';

// Expired files hold a place in the count of their license until a call examines them, or this job.
export const licenseFileJobs = (): readonly Job[] => [
  tidying('count out expired license files', { step: byRows(uncountOldLicenseFiles), ageMs: DAY_MS }),
];
