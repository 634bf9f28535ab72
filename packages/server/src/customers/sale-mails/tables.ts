/** Describes the tables of the texts of e-mails to buyers. */
import type { StoredTable } from '../../storage/contract/table.ts';

export const saleMailTables: readonly StoredTable[] = [
  {
    name: 'mail_template',
    carried: { byCopy: 'the wording of the e-mails of this service' },
    grows: true,
    changes: 'recorded',
  },
  {
    name: 'mail_template_turn',
    carried: { nowhere: 'rows that only serve as locks; without its row the next new template inserts it' },
    grows: true,
    changes: { unrecorded: 'is a row to lock' },
  },
];
