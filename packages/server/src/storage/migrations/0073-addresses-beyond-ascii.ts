import { migration } from './migration.ts';

/**
 * By these the addresses are walked that have letters beyond ASCII, to forget one in any spelling: databases lower A to Z
 * alone, so no index on `lower(...)` finds such a one by other capitals. They are few.
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
