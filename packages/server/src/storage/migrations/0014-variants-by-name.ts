import { migration } from './migration.ts';

/** Product and name identify a variant: `a` + `b-c` and `a-b` + `c` have the same variant_id but are two variants. */
export const variantsByName = migration(14, 'variants_by_name', ({ text, integer, tableEnd, own }) => {
  const columns = `(
  variant_id ${text} not null,
  product_id ${text} not null,
  name ${text} not null,
  license_type ${text} not null,
  max_machines ${integer} not null,
  max_concurrent ${integer},
  default_trial_days ${integer},
  duration_days ${integer},
  -- smallest currency unit, as decimal text, because it may be any number
  price ${text},
  active ${integer} not null,
  primary key (product_id, name)
)${tableEnd}`;
  return `
${own({
  sqlite: `create table variant_by_name ${columns};
insert into variant_by_name select variant_id, product_id, name, license_type, max_machines, max_concurrent,
  default_trial_days, duration_days, price, active from variant;
drop table variant;
alter table variant_by_name rename to variant;`,
  postgres: `alter table variant drop constraint variant_pkey;
alter table variant drop constraint variant_product_id_name_key;
alter table variant add primary key (product_id, name);`,
})}
create index variant_by_id on variant (variant_id, product_id);
`;
});
