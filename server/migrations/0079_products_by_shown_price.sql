-- The price that a shop shows: the lowest price of the variations (without variations, the product's own price), or the
-- promotional price if that is lower.
create index concurrently products_by_shown_price on products
  (workspace_id, least(coalesce(variations_from, price), price_discount), id);
