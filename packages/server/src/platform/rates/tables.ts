/** Describes the table of counts for limits. */
import { HOUR_MS } from '../../ground/base/clock.ts';
import type { StoredTable } from '../../storage/contract/table.ts';

export const rateTables: readonly StoredTable[] = [
  {
    name: 'rate',
    carried: { byCopy: 'counts for limits' },
    grows: true,
    changes: { unrecorded: 'counts for limits' },
    // Late, so that nodes whose clocks differ agree that nothing counts.
    kept: { job: 'delete old rates', ageMs: HOUR_MS, by: 'ends_at', key: ['subject'] },
  },
];
