/** Describes the tables of reply templates. */
import type { StoredTable } from '../../storage/contract/table.ts';

export const supportTables: readonly StoredTable[] = [
  {
    name: 'reply_template',
    carried: { byCopy: 'the wording of this support; texts for many customers' },
    grows: true,
    changes: 'recorded',
  },
  {
    name: 'reply_template_turn',
    carried: { nowhere: 'rows that only serve as locks; without its row the next new template inserts it' },
    grows: true,
    changes: { unrecorded: 'is a row to lock' },
  },
];
