/** Describes the table of the last believed round. */
import type { StoredTable } from '../../storage/contract/table.ts';

export const believedTimeTables: readonly StoredTable[] = [
  {
    name: 'believed_round',
    carried: { byCopy: 'the last time that this service believed its clock' },
    grows: false,
    changes: { unrecorded: 'holds the last believed time' },
  },
];
