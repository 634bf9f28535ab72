/** Describes the tables of expiry notices. */
import { DAY_MS } from '../../ground/base/clock.ts';
import type { StoredTable } from '../../storage/contract/table.ts';
import { LATEST_MS } from './notice.ts';

export const expiryNoticeTables: readonly StoredTable[] = [
  {
    name: 'expiry_notice',
    carried: { byCopy: 'notices of expiring licenses that this service recorded' },
    replacedKey: { stays: 'the search has passed the end of the license already' },
    grows: true,
    changes: { unrecorded: 'each notice is an event itself' },
    // A license that expired longer ago gets no notice, so its rows prevent none.
    kept: {
      job: 'delete old expiry notices',
      ageMs: LATEST_MS + DAY_MS,
      by: 'expires_at',
      key: ['license_key', 'kind', 'expires_at'],
    },
  },
  {
    name: 'expiry_notice_position',
    carried: { byCopy: 'how far the search for expiring licenses has come' },
    replacedKey: { stays: 'is a place in the order of licenses' },
    grows: false,
    changes: { unrecorded: 'says how far the search for expiring licenses has come' },
  },
];
