/** Jobs: the table of their leases. */
import { jobTables } from './tables.ts';

export const jobLeases = {
  tables: jobTables,
};
