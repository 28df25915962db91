-- The gateway looks up a payment by its order, and the carrier looks up a parcel by its code. Neither knows the store.

create unique index sandbox_payments_order on sandbox_payments (order_id);
create index shipments_by_code on shipments (code);
