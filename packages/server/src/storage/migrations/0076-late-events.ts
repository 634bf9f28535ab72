import { migration } from './migration.ts';

/**
 * SQLite: new events enter the index by product late, many together (platform/events/late-index.ts). Each product has
 * its own place in that index, and a commit writes every page that it changes: 1.5 pages of 4 KB per event, two fifths
 * of the bytes that /activate wrote. Waiting events are in a second index of about a dozen pages.
 *
 * PostgreSQL logs the entry instead of the page (140 bytes); a later change of the row would cost more. There the
 * column stays null.
 */
export const lateEvents = migration(
  76,
  'late_events',
  ({ integer, own }) => `
-- 1 while the event waits for the index by product
alter table event add column unindexed ${integer};
${own({
  sqlite: `drop index event_by_product;
create index event_by_product on event (product_id, event_id) where product_id is not null and unindexed is null;
create index event_late_by_product on event (product_id, event_id) where product_id is not null and unindexed is not null;`,
  postgres: '',
})}
`,
  'go on',
);
