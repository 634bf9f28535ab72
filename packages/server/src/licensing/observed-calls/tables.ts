/** Describes the tables of kept refusals, statistics and countries of licenses. */
import { DAY_MS } from '../../ground/base/clock.ts';
import type { StoredTable } from '../../storage/contract/table.ts';

/** Retention of kept refusals (rules 10.8). */
export const REFUSALS_KEPT_MS = 90 * DAY_MS;

export const observedCallTables: readonly StoredTable[] = [
  {
    name: 'kept_refusal',
    carried: { byCopy: 'recent refusals by this service' },
    replacedKey: { stays: 'tells of calls with the old key' },
    grows: true,
    changes: { unrecorded: 'holds refused calls, which change nothing' },
    addresses: ['hostname'],
    kept: { job: 'delete old refusals', ageMs: REFUSALS_KEPT_MS, by: 'first_at', key: ['license_key', 'refusal_id'] },
  },
  {
    name: 'statistic',
    carried: { byCopy: 'counts of calls and changes in this service' },
    grows: true,
    changes: { unrecorded: 'counts calls and changes' },
  },
  {
    name: 'license_country',
    carried: { byCopy: 'an index of licenses by country, for lists' },
    replacedKey: { stays: 'the machines of the new key are noted within a day' },
    grows: true,
    changes: { unrecorded: 'is an index for lists and decides nothing' },
  },
];
