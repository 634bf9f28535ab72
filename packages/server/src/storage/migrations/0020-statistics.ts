import { migration } from './migration.ts';

/** Counts of occurrences per product and in total (product_id is empty), by hour and by day. */
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
  // Free space on each page for new versions of the current hour's and day's rows, which change every minute.
  postgres: 'alter table statistic set (fillfactor = 80);',
})}
`,
);
