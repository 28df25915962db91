-- Only products with another lowest price than their own are updated. Apart from 0075, because its lock on the table
-- would be held for as long as this takes.
update products p set variations_from = v.lowest
from (select workspace_id, product_id, min(price) as lowest from variations group by workspace_id, product_id) v
where p.workspace_id = v.workspace_id and p.id = v.product_id and p.variations_from is null and v.lowest <> p.price;
