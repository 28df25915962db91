-- The fields of a product for fiscal documents: Mercosul classification (NCM), tax substitution code (CEST), and origin
-- of the goods (0 to 8). The constraints are added without checking existing rows: they have no values yet, and the
-- table would stay locked during the check.
alter table products
  add column ncm text,
  add column cest text,
  add column fiscal_origin smallint,
  add constraint products_ncm check (ncm ~ '^[0-9]{8}$') not valid,
  add constraint products_cest check (cest ~ '^[0-9]{7}$') not valid,
  add constraint products_fiscal_origin check (fiscal_origin between 0 and 8) not valid;
