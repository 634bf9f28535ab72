/** Describes the tables of the catalogue. */
import type { StoredTable } from '../../storage/contract/table.ts';

export const productTables: readonly StoredTable[] = [
  {
    name: 'product',
    carried: 'everywhere',
    grows: true,
    changes: 'recorded',
  },
  {
    name: 'variant',
    carried: 'everywhere',
    grows: true,
    changes: 'recorded',
  },
];
