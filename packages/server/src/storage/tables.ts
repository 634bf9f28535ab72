/** Describes the tables about the database itself. */
import type { StoredTable } from './table.ts';

export const storageTables: readonly StoredTable[] = [
  {
    name: 'schema_migration',
    carried: { nowhere: 'says what was done to the tables of this database' },
    grows: false,
    changes: { unrecorded: 'is written by migrations' },
  },
  {
    name: 'database_copy',
    carried: { nowhere: 'says how far a copy into this database has come' },
    grows: false,
    changes: { unrecorded: 'says how far a copy of the whole database has come, its events included' },
  },
];
