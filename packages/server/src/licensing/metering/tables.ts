/** Describes the tables of meters. */
import type { StoredTable } from '../../storage/contract/table.ts';
import { REQUEST_MEMORY_MS } from '../meters/store.ts';

export const meterTables: readonly StoredTable[] = [
  {
    name: 'meter_use',
    carried: 'everywhere',
    replacedKey: { moves: ['license_key'] },
    grows: true,
    changes: {
      unrecorded: 'a use comes with each call; a reached limit and a correction are recorded with the license',
    },
  },
  {
    name: 'meter_request',
    carried: { byCopy: 'requests to this service of the last two days' },
    replacedKey: { moves: ['license_key'] },
    grows: true,
    changes: { unrecorded: 'repeats of calls are known by it' },
    kept: {
      job: 'delete old requests of meters',
      ageMs: REQUEST_MEMORY_MS,
      by: 'used_at',
      key: ['license_key', 'meter', 'slot'],
    },
  },
];
