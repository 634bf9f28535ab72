import type { SchemaDialect } from '../../contract/engine-differences.ts';

/** Discount and trial codes, the storefront, studio orders. */
export const commerceTables = ({ text, integer, tableEnd }: SchemaDialect): string => `
create table discount_code (
  -- the code in one case, by which it is found
  code_folded ${text} not null primary key,
  -- the code as its owner wrote it
  code ${text} not null,
  product_id ${text},
  creator_id ${text},
  trial_days ${integer} not null,
  max_uses ${integer},
  used_count ${integer} not null,
  active ${integer} not null,
  created_at ${text} not null,
  expires_at ${text}
)${tableEnd};
create index discount_code_by_creator on discount_code (creator_id, created_at, code_folded);
create index discount_code_by_product on discount_code (product_id, created_at, code_folded);
create index discount_code_by_creation on discount_code (created_at, code_folded);
create index discount_code_by_creator_product on discount_code (creator_id, product_id, created_at, code_folded);

-- one use of a code by one e-mail address
create table redemption (
  code_folded ${text} not null,
  email_folded ${text} not null,
  license_key ${text} not null,
  redeemed_at ${text} not null,
  primary key (code_folded, email_folded)
)${tableEnd};
create index redemption_by_email on redemption (email_folded, code_folded);
create index redemption_by_time on redemption (code_folded, redeemed_at, email_folded);

-- trials that machines started without a key; kept for good, so that a machine gets one of each product
create table trial (
  product_id ${text} not null,
  -- SHA-256 of the product and the fingerprint of the machine
  machine_hash ${text} not null,
  license_key ${text} not null,
  started_at ${text} not null,
  primary key (product_id, machine_hash)
)${tableEnd};

-- the reported events of the storefront, for support; amounts are decimal text
create table storefront_event (
  event_id ${text} not null primary key,
  type ${text} not null,
  license_key ${text} not null,
  purchase_id ${text},
  email ${text} not null,
  product_id ${text} not null,
  amount ${text},
  currency ${text},
  received_at ${text} not null
)${tableEnd};
create index storefront_event_by_email on storefront_event (lower(email), event_id);
-- Databases lower only A to Z: an address with other letters is found in any spelling among the few of them.
create index storefront_event_beyond_ascii on storefront_event (event_id) where octet_length(email) > length(email);

-- Licenses of sales that name a line, a quantity or a subscription. The licenses of one line are its units.
create table sold_unit (
  license_key ${text} not null primary key,
  -- the license of unit 1
  first_key ${text} not null,
  unit ${integer} not null,
  -- units that the license stands for: its limits were multiplied by this
  quantity ${integer} not null,
  product_id ${text} not null,
  purchase_id ${text},
  line_id ${text},
  subscription_id ${text},
  unique (first_key, unit)
)${tableEnd};
create index sold_unit_by_line on sold_unit (purchase_id, line_id, first_key) where unit = 1;
create index sold_unit_by_subscription on sold_unit (subscription_id, first_key) where unit = 1;

-- The storefront's own ids of applied events, for each creator and type; kept for good, so that a late delivery acts
-- once. The operator's creator_id is ''.
create table storefront_delivery (
  event_id ${text} not null,
  creator_id ${text} not null,
  type ${text} not null,
  product_id ${text} not null,
  purchase_id ${text},
  line_id ${text},
  subscription_id ${text},
  license_key ${text} not null,
  delivered_at ${text} not null,
  primary key (event_id, creator_id, type)
)${tableEnd};

-- Locks for deliveries of one purchase. A purchaseId belongs to a creator; a product that is not in the catalogue
-- belongs to the operator, whose creator_id is ''.
create table purchase (
  purchase_id ${text} not null,
  creator_id ${text} not null,
  first_seen ${text} not null,
  primary key (purchase_id, creator_id)
)${tableEnd};

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
create index studio_order_by_email on studio_order (lower(buyer_email), created_at, studio_order_id);
create index studio_order_by_creator_email
  on studio_order (lower(buyer_email), creator_id, created_at, studio_order_id);
create index studio_order_by_creator_course on studio_order (course_id, creator_id, created_at, studio_order_id);
create index studio_order_beyond_ascii
  on studio_order (studio_order_id) where octet_length(buyer_email) > length(buyer_email);
create index studio_order_by_creation on studio_order (created_at, studio_order_id);

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
create index seat_by_redeemer_email on seat (lower(redeemed_by), code) where redeemed_by is not null;
create index seat_beyond_ascii on seat (code) where octet_length(redeemed_by) > length(redeemed_by);
`;
