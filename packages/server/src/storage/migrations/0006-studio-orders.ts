import { migration } from './migration.ts';

/** Studio orders and their seats. */
export const studioOrders = migration(
  6,
  'studio_orders',
  ({ text, integer, tableEnd }) => `
create table studio_order (
  studio_order_id ${text} not null primary key,
  buyer_email ${text} not null,
  buyer_user_id ${text} not null,
  course_id ${text} not null,
  course_slug ${text} not null,
  course_title ${text} not null,
  creator_id ${text} not null,
  seat_count ${integer} not null,
  redeemed_count ${integer} not null,
  price_per_seat ${integer} not null,
  total_amount ${integer} not null,
  currency ${text} not null,
  status ${text} not null,
  created_at ${text} not null,
  external_order_id ${text},
  purchase_id ${text}
)${tableEnd};
create index studio_order_by_buyer on studio_order (buyer_user_id, created_at, studio_order_id);
create index studio_order_by_course on studio_order (course_id, created_at, studio_order_id);
create index studio_order_by_creator on studio_order (creator_id, created_at, studio_order_id);

create table seat (
  code ${text} not null primary key,
  studio_order_id ${text} not null,
  seat_number ${integer} not null,
  redeemed_by ${text},
  redeemer_user_id ${text},
  redeemed_at ${text},
  storefront_purchase_id ${text},
  unique (studio_order_id, seat_number)
)${tableEnd};
create unique index seat_by_redeemer on seat (studio_order_id, redeemer_user_id) where redeemer_user_id is not null;
`,
);
