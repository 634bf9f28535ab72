import { migration } from './migration.ts';

/**
 * Indexes of addresses with letters beyond ASCII, to forget an address in any spelling. Databases lower only A to Z, so
 * an index on `lower(...)` does not find such an address in other capitals. There are few of them.
 */
export const addressesBeyondAscii = migration(
  73,
  'addresses_beyond_ascii',
  () => `
create index storefront_event_beyond_ascii on storefront_event (event_id) where octet_length(email) > length(email);
create index studio_order_beyond_ascii on studio_order (studio_order_id)
  where octet_length(buyer_email) > length(buyer_email);
create index seat_beyond_ascii on seat (code) where octet_length(redeemed_by) > length(redeemed_by);
`,
  'go on',
);
