-- Subscriptions that want only some events. The sequencer compares both while it adds deliveries, so an event that a
-- subscription does not want costs no row.

-- The fields that a product.updated event is about. Null for every other event, and for events that a process of the
-- previous release writes: those pass every filter, because a lost event is worse than an unwanted one.
alter table outbox add column changed_fields text[];

-- Null: product.updated is delivered whatever changed.
alter table webhooks add column filter_fields text[] check (cardinality(filter_fields) > 0);
alter table webhooks add column exclude_own boolean not null default false;
