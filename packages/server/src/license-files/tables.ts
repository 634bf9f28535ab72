/** Describes the tables of license files and the keys that sign them. */
import { DAY_MS } from '../clock.ts';
import type { StoredTable } from '../storage/table.ts';

/** Retention of the records of license files, after their expiry (rules 11.3). */
export const EXPIRED_FILES_KEPT_MS = 90 * DAY_MS;

export const licenseFileTables: readonly StoredTable[] = [
  {
    name: 'license_file',
    carried: {
      byCopy: 'tells which files this service handed out; they hold the name of the service, and its signature',
    },
    grows: true,
    changes: {
      unrecorded: 'says which machine got which file; those that an operator makes are recorded with their license',
    },
    addresses: ['hostname'],
    // Those in the count of their license are taken out of it before (jobs.ts).
    kept: {
      job: 'delete old license files',
      ageMs: EXPIRED_FILES_KEPT_MS,
      by: 'expires_at',
      key: ['license_key', 'fingerprint', 'purpose'],
      where: 'd.counted = 0',
    },
  },
  {
    name: 'license_file_count',
    carried: { byCopy: 'counts those files' },
    grows: true,
    changes: { unrecorded: 'counts for a limit' },
  },
  {
    name: 'signing_key',
    carried: { byCopy: 'secrets of this service' },
    grows: false,
    changes: { unrecorded: 'holds secrets of the service, made by itself and by a command that prints what it did' },
  },
  {
    name: 'installation',
    carried: { byCopy: 'the name under which this service signs license files' },
    grows: false,
    changes: { unrecorded: 'holds a name that is made once' },
  },
];
