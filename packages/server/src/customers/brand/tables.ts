/** Describes the table of brands. */
import type { StoredTable } from '../../storage/contract/table.ts';

export const brandTables: readonly StoredTable[] = [
  {
    name: 'brand',
    carried: { byCopy: 'the looks of the pages for customers' },
    grows: true,
    changes: 'recorded',
  },
];
