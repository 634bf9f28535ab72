import { migration } from './migration.ts';

/**
 * A purchaseId belongs to a creator: the same id of another creator is another purchase. A product that is not in the
 * catalogue belongs to the operator, whose creator_id is ''. Rows serve only as locks for deliveries.
 */
export const purchasesOfCreators = migration(
  13,
  'purchases_of_creators',
  ({ text, integer, tableEnd }) => `
drop table purchase;
create table purchase (
  purchase_id ${text} not null,
  creator_id ${text} not null,
  first_seen ${text} not null,
  primary key (purchase_id, creator_id)
)${tableEnd};

-- 1 where the catalogue knew the product when the license was made. No product leaves the catalogue, so the licenses of a
-- product that it does not know all have 0, and no creator's own licenses are among those.
drop index license_by_purchase;
alter table license add column in_catalogue ${integer} not null default 0;
update license set in_catalogue = 1 where purchase_id is not null
  and exists (select 1 from product p where p.product_id = license.product_id);
create index license_by_purchase on license (purchase_id, in_catalogue, product_id, created_at, license_key)
  where purchase_id is not null;
`,
);
