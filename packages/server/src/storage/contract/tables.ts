/** Describes the tables about the database itself. */
import type { StoredTable } from './table.ts';

export const storageTables: readonly StoredTable[] = [
  {
    name: 'schema_migration',
    carried: { nowhere: 'migrations that were applied to this database' },
    grows: false,
    changes: { unrecorded: 'is written by migrations' },
  },
  {
    name: 'database_copy',
    carried: { nowhere: 'progress of a copy into this database' },
    grows: false,
    changes: { unrecorded: 'holds the progress of a copy, which copies events as well' },
  },
];
