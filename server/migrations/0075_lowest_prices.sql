-- The lowest price of the variations of a product, so that a product list can be sorted and filtered by the price that
-- the shop shows. Null for a product without variations. For existing products, migration 0078 sets the column if the
-- lowest price differs from the product's own price. Otherwise the column stays null, which also stands for the
-- product's own price, until the product or its variations change.
alter table products add column variations_from numeric(14,2);
