/** Describes the tables about the database itself. */
import type { StoredTable } from './table.ts';

export const storageTables: readonly StoredTable[] = [
  {
    name: 'schema_migration',
    carried: { nowhere: 'migrations that were applied to this database; without its row the next start applies them' },
    grows: false,
    changes: { unrecorded: 'is written by migrations' },
  },
  {
    name: 'database_copy',
    carried: { nowhere: 'progress of a copy into this database; without its row the database is no copy' },
    grows: false,
    changes: { unrecorded: 'holds the progress of a copy, which copies events as well' },
  },
];
