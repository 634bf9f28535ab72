/** Describes the table of violations. */
import { FORGETTING } from '../../platform/events/tables.ts';
import type { StoredTable } from '../../storage/contract/table.ts';

export const violationTables: readonly StoredTable[] = [
  {
    name: 'violation',
    carried: 'everywhere',
    grows: true,
    changes: {
      recordedBut: {
        'violation.rewrite': FORGETTING,
      },
    },
    addresses: ['evidence'],
  },
];
