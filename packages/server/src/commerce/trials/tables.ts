/** Describes the table of trials without a key. */
import type { StoredTable } from '../../storage/contract/table.ts';

export const trialTables: readonly StoredTable[] = [
  {
    name: 'trial',
    carried: 'everywhere',
    replacedKey: { stays: 'is found by its machine; the old license leads to the new one' },
    grows: true,
    changes: { unrecorded: 'the license of the trial is recorded with the reason `trial`; a paid one is only counted' },
  },
];
