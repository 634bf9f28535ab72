/** Describes the table of customers who are being forgotten. */
import type { StoredTable } from '../../storage/contract/table.ts';

export const customerTables: readonly StoredTable[] = [
  {
    name: 'forgetting',
    carried: { byCopy: 'progress of forgetting a customer' },
    grows: true,
    changes: { unrecorded: 'says how far forgetting has come; its end is recorded' },
    addresses: ['email_folded'],
  },
];
