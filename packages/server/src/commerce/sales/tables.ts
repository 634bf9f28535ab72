/** Describes the table of the figures of sales. */
import type { StoredTable } from '../../storage/contract/table.ts';

export const salesTables: readonly StoredTable[] = [
  {
    name: 'sale_count',
    carried: { byCopy: 'counts of the events of this service, which no export carries' },
    grows: true,
    changes: { unrecorded: 'counts recorded events' },
  },
];
