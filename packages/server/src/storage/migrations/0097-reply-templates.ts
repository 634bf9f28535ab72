import { migration } from './migration.ts';

/**
 * Templates of replies to customers, of the operator and of each creator. Nodes of the previous version use none of
 * these tables.
 */
export const replyTemplates = migration(
  97,
  'reply_templates',
  ({ text, integer, tableEnd }) => `
create table reply_template (
  template_id ${text} not null primary key,
  -- '' is the operator
  creator_id ${text} not null,
  name ${text} not null,
  text ${text} not null,
  -- the verdict that it is for; null: any
  verdict ${text},
  created_at ${text} not null,
  updated_at ${text} not null
)${tableEnd};
create index reply_template_by_owner on reply_template (creator_id, template_id);

-- one row for each owner: a call that adds a template holds its lock, and its version rises
create table reply_template_turn (
  creator_id ${text} not null primary key,
  version ${integer} not null
)${tableEnd};
`,
  'go on',
);
