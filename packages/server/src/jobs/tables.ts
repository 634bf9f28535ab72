/** Describes the table of the leases of jobs. */
import type { StoredTable } from '../storage/table.ts';

export const jobTables: readonly StoredTable[] = [
  {
    name: 'job_lease',
    carried: { nowhere: 'says which node does a job' },
    grows: false,
    changes: { unrecorded: 'says which node is at a job' },
  },
];
