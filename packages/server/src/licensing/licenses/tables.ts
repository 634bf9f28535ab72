/** Describes the tables of licenses. */
import { DAY_MS } from '../../ground/base/clock.ts';
import type { StoredTable } from '../../storage/contract/table.ts';

export const licenseTables: readonly StoredTable[] = [
  {
    name: 'license',
    carried: 'everywhere',
    replacedKey: { stays: 'the replaced license stays as revoked, with a link to the new one' },
    grows: true,
    changes: {
      recordedBut: {
        'license.mark_lapsed': 'the mark helps lists and decides nothing',
        'license.mark_unlapsed': 'the mark helps lists and decides nothing',
      },
    },
    addresses: ['email', 'email_folded', 'metadata'],
  },
  {
    name: 'license_metadata',
    carried: { byCopy: 'an index of the metadata of licenses' },
    replacedKey: { stays: 'each license has an index of its own metadata' },
    grows: true,
    changes: { unrecorded: 'an index; the license has the metadata' },
  },
  {
    name: 'support_extension',
    carried: { byCopy: 'counts for a limit' },
    replacedKey: { moves: ['license_key'] },
    grows: true,
    changes: { unrecorded: 'counts for a limit; each extension is recorded with its license' },
    // Support's extensions of a license count for 30 days (rules 5.6).
    kept: { job: 'delete old extensions by support', ageMs: 31 * DAY_MS, by: 'last_at', key: ['license_key'] },
  },
  {
    name: 'pool_peak',
    carried: { byCopy: 'the most live sessions that this service saw' },
    replacedKey: { moves: ['license_key'] },
    grows: true,
    changes: { unrecorded: 'counts sessions and decides nothing' },
    // Three years, leap year included.
    kept: { job: 'delete old peaks of pools', ageMs: 1_096 * DAY_MS, by: 'day', key: ['license_key', 'day'] },
  },
];
