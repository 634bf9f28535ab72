import { migration } from './migration.ts';

/**
 * Lists of events. An activation adds an entry to the table and two indexes, always near their end, so that many
 * activations write few pages. Other types of events are rarer and can afford more indexes, which are partial.
 *
 * - The events of a license form a chain: the license names its last event, and each event the one before. This
 *   replaces an index in which the entries of each license are far apart.
 * - The events of a request are indexed by product, too, so that a creator's list skips no events of others.
 * - Notes are indexed by license, for chains that have been cut: notes are kept for ever, events around them are not.
 */
export const listsOfEvents = migration(
  18,
  'lists_of_events',
  ({ text }) => `
alter table event add column previous_event_id ${text};
alter table license add column last_event_id ${text};
update event set previous_event_id =
  (select max(e.event_id) from event e where e.license_key = event.license_key and e.event_id < event.event_id)
  where license_key is not null;
update license set last_event_id = (select max(e.event_id) from event e where e.license_key = license.license_key)
  where event_count > 0;
drop index event_by_license;
drop index event_by_request;
create index event_by_request on event (request_id, product_id, event_id)
  where request_id is not null and product_id is not null;
create index event_by_request_alone on event (request_id, event_id)
  where request_id is not null and product_id is null;
create index event_by_creator on event (creator_id, event_id) where creator_id is not null and product_id is null;
create index event_by_type on event (type, event_id) where type <> 'activation.created';
create index event_by_product_type on event (product_id, type, event_id)
  where type <> 'activation.created' and product_id is not null;
create index event_by_actor on event (actor, event_id) where actor <> 'client';
create index event_by_product_actor on event (product_id, actor, event_id)
  where actor <> 'client' and product_id is not null;
create index event_by_note on event (license_key, license_number) where type = 'license.noted';
`,
);
