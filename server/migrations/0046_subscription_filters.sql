-- Filters of subscriptions. The sequencer, which numbers events and adds their deliveries, applies the filters, so
-- there is no row for a delivery that a subscription does not want.

-- The changed fields of a product.updated event. Null for every other event, and for events that a process of the
-- previous release writes. If null, the event passes every filter on fields, because a lost event is worse than an
-- unwanted one.
alter table outbox add column changed_fields text[];

-- If null, product.updated is delivered regardless of which fields changed.
alter table webhooks add column filter_fields text[] check (cardinality(filter_fields) > 0);
alter table webhooks add column exclude_own boolean not null default false;
