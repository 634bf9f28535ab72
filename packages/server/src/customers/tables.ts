/** Describes the table of customers who are being forgotten. */
import type { StoredTable } from '../storage/table.ts';

export const customerTables: readonly StoredTable[] = [
  {
    name: 'forgetting',
    carried: { byCopy: 'says how far the forgetting of a customer has come' },
    grows: true,
    changes: { recordedBy: 'customers/change.ts' },
    addresses: ['email_folded'],
  },
];
