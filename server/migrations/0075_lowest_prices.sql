-- The price that a shop shows for a product, so that a product list can be sorted and filtered by it: the lowest price of
-- its variations or its own, or the promotional price if that is lower.
--
-- Null for a product without variations. Adding the column does not rewrite the table, and only products whose variations
-- are not all sold at the product's own price are updated.
alter table products add column variations_from numeric(14,2);

-- A trigger would run for each variation; the statement that stores variations sets the column instead.
update products p set variations_from = v.lowest
from (select workspace_id, product_id, min(price) as lowest from variations group by workspace_id, product_id) v
where p.workspace_id = v.workspace_id and p.id = v.product_id and v.lowest <> p.price;

create index products_by_shown_price on products
  (workspace_id, least(coalesce(variations_from, price), price_discount), id);
