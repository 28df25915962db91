-- The lowest price of the variations of a product, so that a product list can be sorted and filtered by the price that
-- the shop shows. Null for a product without variations. Queries read null as the product's own price, so for existing
-- products migration 0078 sets the column only if the lowest price differs from that price. Otherwise the column stays
-- null until the product or its variations change.
alter table products add column variations_from numeric(14,2);
