-- The lowest price of the variations of a product, so that a product list can be sorted and filtered by the price that
-- the shop shows. Null for a product without variations. For existing products, migration 0078 sets it if it differs
-- from the product's own price. Otherwise the next change of the product or its variations sets it.
alter table products add column variations_from numeric(14,2);
