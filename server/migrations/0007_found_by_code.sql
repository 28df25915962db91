-- The gateway finds a payment by its order and the carrier a parcel by its code; neither knows stores.

create unique index sandbox_payments_order on sandbox_payments (order_id);
create index shipments_by_code on shipments (code);
