/** Describes the table of API keys. */
import type { StoredTable } from '../../storage/contract/table.ts';

export const apiKeyTables: readonly StoredTable[] = [
  {
    name: 'api_key',
    carried: { byCopy: 'a credential that no other service should accept; only its hash is stored' },
    grows: true,
    changes: 'recorded',
  },
];
