/** Describes the table of e-mails. */
import type { StoredTable } from '../../storage/contract/table.ts';

export const mailTables: readonly StoredTable[] = [
  {
    name: 'mail',
    carried: { byCopy: 'e-mails of this service; a copy keeps them only with `--keep-sending`' },
    replacedKey: { moves: ['license_key'], where: "state in ('waiting', 'failed')" },
    grows: true,
    changes: { unrecorded: 'says which e-mails were sent and which wait' },
    addresses: ['to_address', 'to_folded'],
    kept: {
      job: 'delete old mails',
      ageMs: 0,
      by: 'kept_until',
      key: ['mail_id'],
    },
  },
];
