-- Updates only products whose lowest variation price differs from the price of the product. This is not part of 0075,
-- because the lock that 0075 takes on the table would then be held until this update is done.
update products p set variations_from = v.lowest
from (select workspace_id, product_id, min(price) as lowest from variations group by workspace_id, product_id) v
where p.workspace_id = v.workspace_id and p.id = v.product_id and p.variations_from is null and v.lowest <> p.price;
