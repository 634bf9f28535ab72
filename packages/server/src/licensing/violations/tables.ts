/** Describes the table of violations. */
import { FORGETTING } from '../../platform/events/tables.ts';
import type { StoredTable } from '../../storage/contract/table.ts';

export const violationTables: readonly StoredTable[] = [
  {
    name: 'violation',
    carried: 'everywhere',
    replacedKey: { stays: 'tells of the use of the old key' },
    grows: true,
    changes: {
      recordedBut: {
        'violation.rewrite': FORGETTING,
      },
    },
    addresses: ['evidence'],
  },
];
