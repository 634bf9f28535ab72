import { migration } from './migration.ts';

/**
 * Indexes that find a customer's e-mail address in every table, and the progress of forgetting one. An index that an
 * operator created beforehand, because large tables take a while, is left as it is. An unused index is dropped.
 */
export const forgetting = migration(
  21,
  'forgetting',
  ({ text, tableEnd }) => `
create index if not exists redemption_by_email on redemption (email_folded, code_folded);
create index if not exists seat_by_redeemer_email on seat (lower(redeemed_by), code) where redeemed_by is not null;
drop index storefront_event_by_license;
create index if not exists storefront_event_by_email on storefront_event (lower(email), event_id);
-- the subject of such an event is the address that the license had before
create index if not exists event_by_former_email on event (subject, license_key) where type = 'license.email_changed';
create index if not exists event_of_no_license on event (subject, event_id) where license_key is null;

-- a row for each address that is being replaced in several steps; it is gone when that is done
create table forgetting (
  email_folded ${text} not null primary key,
  pseudonym ${text} not null,
  -- JSON: where the next step begins
  progress ${text} not null,
  -- JSON: how much was replaced so far, by kind
  replaced ${text} not null,
  started_at ${text} not null
)${tableEnd};
`,
);
