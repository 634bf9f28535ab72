/** Events: the table and the jobs. */
import { eventJobs } from './retention.ts';
import { eventTables } from './tables.ts';

export const events = {
  tables: eventTables,
  jobs: eventJobs,
};
