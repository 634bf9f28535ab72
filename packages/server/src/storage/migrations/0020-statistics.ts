import { migration } from './migration.ts';

/** How often something happened: for each product, and in all (product_id is empty), by the hour and by the day. */
export const statistics = migration(
  20,
  'statistics',
  ({ text, integer, tableEnd, own }) => `
create table statistic (
  product_id ${text} not null,
  -- hour, day
  step ${text} not null,
  metric ${text} not null,
  -- when the hour or the day begins
  at ${text} not null,
  value ${integer} not null,
  primary key (product_id, step, metric, at)
)${tableEnd}${own({ sqlite: ', without rowid', postgres: '' })};
-- on expressions, so that tidying takes it and no look-up of some products: it would read those of all
create index statistic_by_age on statistic ((step || ''), (at || ''));
${own({
  sqlite: '',
  // room on each page for the new versions of the rows of the present hour and day, which are added to every minute
  postgres: 'alter table statistic set (fillfactor = 80);',
})}
`,
);
