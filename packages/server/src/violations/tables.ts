/** Describes the table of violations. */
import { FORGETTING } from '../events/tables.ts';
import type { StoredTable } from '../storage/table.ts';

export const violationTables: readonly StoredTable[] = [
  {
    name: 'violation',
    carried: 'everywhere',
    grows: true,
    changes: {
      recordedBy: 'licenses/save.ts',
      but: {
        'violation.rewrite': FORGETTING,
      },
    },
    addresses: ['evidence'],
  },
];
