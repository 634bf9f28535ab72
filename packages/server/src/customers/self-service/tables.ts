/** Describes the tables of self-service. */
import { DAY_MS } from '../../ground/base/clock.ts';
import type { StoredTable } from '../../storage/contract/table.ts';

export const selfServiceTables: readonly StoredTable[] = [
  {
    name: 'customer_sign_in',
    carried: { nowhere: 'valid for ten minutes; without its row a customer asks for another code' },
    grows: true,
    changes: { unrecorded: 'holds requests for a code, which anybody may send' },
    addresses: ['email_folded'],
    kept: { job: 'delete old sign-ins of customers', ageMs: DAY_MS, by: 'expires_at', key: ['browser'] },
  },
  {
    name: 'customer_session',
    carried: { nowhere: 'cookies of one address; without its row a customer signs in again' },
    grows: true,
    changes: { unrecorded: 'a session grants nothing but the pages of its address; what it changes is recorded' },
    addresses: ['email_folded'],
    kept: { job: 'delete old sessions of customers', ageMs: DAY_MS, by: 'expires_at', key: ['session_id'] },
  },
  {
    name: 'customer_link',
    carried: {
      nowhere: 'links name the address of this service; without its row a link is invalid, and people make others',
    },
    grows: true,
    changes: { unrecorded: 'a new link is recorded with its license' },
    addresses: ['email_folded'],
    kept: { job: 'delete old links of customers', ageMs: DAY_MS, by: 'expires_at', key: ['link_id'] },
  },
  {
    name: 'device_release',
    carried: { byCopy: 'counts for a limit' },
    replacedKey: { moves: ['license_key'] },
    grows: true,
    changes: { unrecorded: 'counts for a limit; the release itself is recorded with its license' },
    kept: {
      job: 'delete old releases of devices',
      ageMs: 31 * DAY_MS,
      by: 'released_at',
      key: ['license_key', 'released_at', 'fingerprint'],
    },
  },
];
