import type { SchemaDialect } from '../../contract/engine-differences.ts';
import { endsOf } from './ends.ts';

/** Discount and trial codes, the storefront, studio orders, connectors of shops. */
export function commerceTables(dialect: SchemaDialect): string {
  const { text, integer, tableEnd } = dialect;
  const { byKey } = endsOf(dialect);
  return `
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
  -- when its machine was found with a paid license
  paid_at ${text},
  primary key (product_id, machine_hash)
)${tableEnd};
create index trial_unpaid on trial (started_at, product_id, machine_hash) where paid_at is null;

-- figures of sales by product, variant and UTC day, counted from events (commerce/sales/)
create table sale_count (
  product_id ${text} not null,
  -- the first moment of the day
  day ${text} not null,
  variant ${text} not null,
  metric ${text} not null,
  value ${integer} not null,
  primary key (product_id, day, variant, metric)
)${tableEnd}${byKey};
-- on an expression, so that a question about some products does not read the days of all
create index sale_count_by_day on sale_count ((day || ''));

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

-- accounts at sellers whose sales become licenses; the operator's creator_id is ''
create table connector (
  connector_id ${text} not null primary key,
  creator_id ${text} not null,
  source ${text} not null,
  name ${text} not null,
  mode ${text} not null,
  state ${text} not null,
  -- begins the purchaseIds of its sales
  prefix ${text} not null,
  -- signing secrets with their ends, newest first, and the key of the seller's API, sealed (platform/sealing/seal.ts)
  secrets ${text} not null,
  api_key ${text},
  settings ${text} not null,
  created_at ${text} not null,
  updated_at ${text} not null
)${tableEnd};
create unique index connector_by_prefix on connector (creator_id, prefix);
create index connector_by_creator on connector (creator_id, created_at, connector_id);

-- the product that a name of the seller's stands for; the external_id of \`any\` is ''
create table connector_mapping (
  connector_id ${text} not null,
  kind ${text} not null,
  external_id ${text} not null,
  target ${text} not null,
  primary key (connector_id, kind, external_id)
)${tableEnd};

-- connectors that were deleted, while a job deletes their events and sales
create table connector_remains (
  connector_id ${text} not null primary key
)${tableEnd};

-- requests to a connector whose signature was not valid
create table connector_rejection (
  connector_id ${text} not null primary key,
  rejected ${integer} not null,
  last_rejected_at ${text} not null,
  last_rejection ${text} not null
)${tableEnd};

-- when the events that the API of a seller lists are read, and how the last time ended
create table connector_catch_up (
  connector_id ${text} not null primary key,
  due_at ${text} not null,
  -- events from this moment on may be missing
  since ${text} not null,
  caught_up_at ${text},
  attempts ${integer} not null,
  failure ${text}
)${tableEnd};
create index connector_catch_up_by_due on connector_catch_up (due_at, connector_id);

-- events as sellers delivered them, and what came of each
create table shop_event (
  event_id ${text} not null primary key,
  connector_id ${text} not null,
  creator_id ${text} not null,
  seller_event_id ${text} not null,
  type ${text} not null,
  source_at ${text},
  received_at ${text} not null,
  is_test ${integer},
  -- the seller's id of what it is about, and the sale that it belongs to
  subject ${text},
  subject_id ${text},
  -- '' once it is no longer kept
  body ${text} not null,
  state ${text} not null,
  reason ${text},
  -- the field that is not understood, or a failure
  detail ${text},
  attempts ${integer} not null,
  -- '' unless the service goes on by itself
  due_at ${text} not null,
  -- the same for events that wait for a look-up at the seller
  look_up_at ${text} not null,
  due_since ${text},
  looked_up ${text} not null,
  outcome ${text} not null,
  kept_until ${text} not null,
  unique (connector_id, seller_event_id)
)${tableEnd};
create index shop_event_by_time on shop_event (received_at, event_id);
create index shop_event_by_creator on shop_event (creator_id, received_at, event_id);
create index shop_event_by_connector on shop_event (connector_id, received_at, event_id);
create index shop_event_by_state on shop_event (state, received_at, event_id);
create index shop_event_by_creator_state on shop_event (creator_id, state, received_at, event_id);
create index shop_event_by_connector_state on shop_event (connector_id, state, received_at, event_id);
create index shop_event_by_connector_type on shop_event (connector_id, type, received_at, event_id);
create index shop_event_by_sale on shop_event (connector_id, subject_id, received_at, event_id);
create index shop_event_by_subject on shop_event (connector_id, subject, received_at, event_id);
create index shop_event_by_due on shop_event (due_at, event_id) where due_at > '';
create index shop_event_by_look_up on shop_event (look_up_at, event_id);
create index shop_event_by_kept on shop_event (kept_until, event_id);

-- the references for which held events wait
create table shop_waiting (
  connector_id ${text} not null,
  kind ${text} not null,
  external_id ${text} not null,
  event_id ${text} not null,
  primary key (connector_id, kind, external_id, event_id)
)${tableEnd};
create index shop_waiting_by_event on shop_waiting (event_id);

-- an order or a subscription at a seller, with what was told of it
create table shop_subject (
  connector_id ${text} not null,
  subject_id ${text} not null,
  order_id ${text} not null,
  subscription ${text},
  email ${text},
  email_folded ${text},
  customer ${text},
  language ${text},
  total ${integer},
  refunded ${integer} not null,
  currency ${text},
  -- the reason for which all of it was taken back
  reversal ${text},
  paid_until ${text},
  paid_is_trial ${integer} not null,
  status ${text},
  status_until ${text},
  as_of ${text},
  created_at ${text} not null,
  primary key (connector_id, subject_id)
)${tableEnd};
create index shop_subject_by_email on shop_subject (email_folded, connector_id, subject_id);
create index shop_subject_by_customer on shop_subject (connector_id, customer, subject_id);

-- the ids by which sellers name a sale
create table shop_reference (
  connector_id ${text} not null,
  kind ${text} not null,
  external_id ${text} not null,
  subject_id ${text} not null,
  -- of a payment of a subscription after the first
  is_later ${integer} not null,
  primary key (connector_id, kind, external_id)
)${tableEnd};
create index shop_reference_by_id on shop_reference (external_id, connector_id, subject_id);

-- the licenses of a sale, by line and unit
create table shop_unit (
  connector_id ${text} not null,
  subject_id ${text} not null,
  line ${text} not null,
  unit ${integer} not null,
  license_key ${text} not null,
  product_id ${text} not null,
  variant ${text},
  -- units that the license stands for
  factor ${integer} not null,
  is_recurring ${integer} not null,
  -- the end that the connector gave last
  set_expires_at ${text},
  issued_at ${text} not null,
  primary key (connector_id, subject_id, line, unit)
)${tableEnd};
create index shop_unit_by_license on shop_unit (license_key);

-- license keys that the seller issued
create table shop_key (
  connector_id ${text} not null,
  subject_id ${text} not null,
  license_key ${text} not null,
  line ${text},
  is_disabled ${integer} not null,
  as_of ${text} not null,
  is_used ${integer} not null,
  primary key (connector_id, subject_id, license_key)
)${tableEnd};

-- what was carried out, by the keys of facts
create table shop_fact (
  connector_id ${text} not null,
  fact_key ${text} not null,
  event_id ${text} not null,
  primary key (connector_id, fact_key)
)${tableEnd};

create table shop_customer (
  connector_id ${text} not null,
  external_id ${text} not null,
  email ${text},
  email_folded ${text},
  language ${text},
  as_of ${text} not null,
  primary key (connector_id, external_id)
)${tableEnd};
create index shop_customer_by_email on shop_customer (email_folded, connector_id, external_id);
`;
}
