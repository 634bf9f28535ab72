import { migration } from './migration.ts';

/** Leases of jobs that only one node at a time should run. */
export const jobs = migration(
  8,
  'jobs',
  ({ text, tableEnd }) => `
create table job_lease (
  job ${text} not null primary key,
  leased_until ${text} not null
)${tableEnd};
`,
);
