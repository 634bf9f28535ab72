create table studio_order (
  studio_order_id text collate "C" not null primary key,
  buyer_email text collate "C" not null,
  buyer_user_id text collate "C" not null,
  course_id text collate "C" not null,
  course_slug text collate "C" not null,
  course_title text collate "C" not null,
  creator_id text collate "C" not null,
  seat_count bigint not null,
  redeemed_count bigint not null,
  price_per_seat bigint not null,
  total_amount bigint not null,
  currency text collate "C" not null,
  status text collate "C" not null,
  created_at text collate "C" not null,
  external_order_id text collate "C",
  purchase_id text collate "C"
);
create index studio_order_by_buyer on studio_order (buyer_user_id, created_at, studio_order_id);
create index studio_order_by_course on studio_order (course_id, created_at, studio_order_id);
create index studio_order_by_creator on studio_order (creator_id, created_at, studio_order_id);

create table seat (
  code text collate "C" not null primary key,
  studio_order_id text collate "C" not null,
  seat_number bigint not null,
  redeemed_by text collate "C",
  redeemer_user_id text collate "C",
  redeemed_at text collate "C",
  storefront_purchase_id text collate "C",
  unique (studio_order_id, seat_number)
);
create unique index seat_by_redeemer on seat (studio_order_id, redeemer_user_id) where redeemer_user_id is not null;
