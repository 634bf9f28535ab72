-- A variant is known by its product and its name: `a` + `b-c` and `a-b` + `c` have one variant_id and are two variants.
alter table variant drop constraint variant_pkey;
alter table variant drop constraint variant_product_id_name_key;
alter table variant add primary key (product_id, name);
create index variant_by_id on variant (variant_id, product_id);
