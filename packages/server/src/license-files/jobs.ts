/** The jobs of license files. */
import { DAY_MS } from '../clock.ts';
import type { Job } from '../jobs/job.ts';
import { byRows, deletingOld, tidying } from '../jobs/tidying.ts';
import { KEPT_MS } from '../retention.ts';
import { uncountOldLicenseFiles } from './tidying-store.ts';

// Uncounted first: in the count, expired files hold a place until a call examines them.
export const deleteOldFiles = deletingOld('license_file.delete_old', {
  table: 'license_file',
  key: ['license_key', 'fingerprint', 'purpose'],
  by: 'expires_at',
  where: 'd.counted = 0',
});

export const licenseFileJobs = (): readonly Job[] => [
  tidying('count out expired license files', { step: byRows(uncountOldLicenseFiles), ageMs: DAY_MS }),
  tidying('delete old license files', { step: deleteOldFiles, ageMs: KEPT_MS.expiredLicenseFiles }),
];
