/** Describes the table of the totals of licenses. */
import type { StoredTable } from '../../storage/contract/table.ts';

export const statisticsTables: readonly StoredTable[] = [
  {
    name: 'license_total',
    carried: { byCopy: 'counts of licenses, renewed at least every hour' },
    grows: true,
    changes: { unrecorded: 'counts licenses' },
  },
];
