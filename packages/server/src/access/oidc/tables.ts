/** Describes the tables of sign-ins with accounts of the provider. */
import { HOUR_MS } from '../../ground/base/clock.ts';
import type { StoredTable } from '../../storage/contract/table.ts';

export const providerTables: readonly StoredTable[] = [
  {
    name: 'provider_attempt',
    carried: { nowhere: 'attempts of ten minutes whose answer arrived; the provider takes each code once, too' },
    grows: true,
    changes: { unrecorded: 'marks answers as used; a sign-in is recorded as a session' },
    kept: { job: 'delete old attempts to sign in', ageMs: HOUR_MS, by: 'expires_at', key: ['attempt_id'] },
  },
];
