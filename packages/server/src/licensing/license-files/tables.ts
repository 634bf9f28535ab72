/** Describes the tables of license files and the keys that sign them. */
import { DAY_MS } from '../../ground/base/clock.ts';
import type { StoredTable } from '../../storage/contract/table.ts';

/** Retention of the records of license files, after their expiry (rules 11.3). */
export const EXPIRED_FILES_KEPT_MS = 90 * DAY_MS;

export const licenseFileTables: readonly StoredTable[] = [
  {
    name: 'license_file',
    carried: {
      byCopy: 'files that this service issued; they contain its name and signature',
    },
    replacedKey: { moves: ['license_key'] },
    grows: true,
    changes: {
      unrecorded: 'holds the file of each machine; files by operators are recorded with their license',
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
    carried: { byCopy: 'counts of these files' },
    replacedKey: { moves: ['license_key'] },
    grows: true,
    changes: { unrecorded: 'counts for a limit' },
  },
  {
    name: 'signing_key',
    carried: { byCopy: 'secrets of this service' },
    grows: false,
    changes: { unrecorded: 'holds secrets of the service; a command that changes them prints the change' },
  },
  {
    name: 'installation',
    carried: { byCopy: 'the name of this service in the license files that it signs' },
    grows: false,
    changes: { unrecorded: 'holds a name that never changes' },
  },
];
