/** Describes the table of the leases of jobs. */
import type { StoredTable } from '../../storage/contract/table.ts';

export const jobTables: readonly StoredTable[] = [
  {
    name: 'job_lease',
    carried: { nowhere: 'the node that runs each job at present; without its row the next node takes the job at once' },
    grows: false,
    changes: { unrecorded: 'holds the node that runs each job' },
  },
];
