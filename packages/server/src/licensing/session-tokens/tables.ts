/** Describes the table of the keys that sign session tokens. */
import type { StoredTable } from '../../storage/contract/table.ts';

export const sessionTokenTables: readonly StoredTable[] = [
  {
    name: 'token_key',
    carried: { byCopy: 'secrets of this service' },
    grows: false,
    changes: {
      recordedBut: {
        'token_key.insert': 'the service makes keys by itself; commands that make keys print them',
        'token_key.raise_lifetime': 'extends the use of a key and changes nothing that it signs',
      },
    },
  },
];
