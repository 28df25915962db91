-- Which delivery service the buyer chose, how many business days it takes, and when the parcel should arrive.
-- Existing orders have null in all three columns. 'digital' means that nothing is shipped.
alter table orders
  add column shipping_service text,
  add column delivery_days smallint,
  add column estimated_delivery date,
  add constraint orders_shipping_service check (shipping_service in ('economy', 'express', 'digital')) not valid;
