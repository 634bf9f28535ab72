import { migration } from './migration.ts';

/** The last round in which a node believed its clock (believed-time/). One row, after the first round. */
export const believedRounds = migration(
  75,
  'believed_rounds',
  ({ text, tableEnd }) => `
create table believed_round (
  name ${text} not null primary key,
  at ${text} not null
)${tableEnd};
`,
  'go on',
);
