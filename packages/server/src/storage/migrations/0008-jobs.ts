import { migration } from './migration.ts';

/** Who runs a job that only one node should run, and until when nobody else may. */
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
