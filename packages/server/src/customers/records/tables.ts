/** Describes the table of customers who are being forgotten. */
import type { StoredTable } from '../../storage/contract/table.ts';

export const customerTables: readonly StoredTable[] = [
  {
    name: 'forgetting',
    carried: { byCopy: 'progress of forgetting a customer' },
    grows: true,
    changes: { recordedBy: 'customers/records/change.ts' },
    addresses: ['email_folded'],
  },
];
