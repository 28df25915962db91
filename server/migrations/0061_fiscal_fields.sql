-- What a fiscal document says about a product: Mercosul classification (NCM), tax substitution code (CEST), and origin of
-- the goods (0 to 8). The rules are added without a look at existing rows, which have no value yet: looking would hold
-- the table.
alter table products
  add column ncm text,
  add column cest text,
  add column fiscal_origin smallint,
  add constraint products_ncm check (ncm ~ '^[0-9]{8}$') not valid,
  add constraint products_cest check (cest ~ '^[0-9]{7}$') not valid,
  add constraint products_fiscal_origin check (fiscal_origin between 0 and 8) not valid;
