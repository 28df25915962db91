-- How many units a buyer may order at once. The operator sets the limits of a store.
alter table workspaces
  add column max_units_per_line integer not null default 100 check (max_units_per_line > 0),
  add column max_units_per_order integer not null default 1000 check (max_units_per_order > 0);

-- Which network an order was placed from, kept while a limit counts the order, either as unpaid or as placed in the
-- last ten minutes. This is a table of its own, because building an index on orders would block writes to orders.
create table checkout_reservations (
  workspace_id uuid not null,
  order_id uuid not null,
  -- An IPv4 address, or the /64 of an IPv6 address.
  network text not null,
  units integer not null,
  placed_at timestamptz(3) not null,
  primary key (workspace_id, order_id)
);
create index checkout_reservations_network on checkout_reservations (network, placed_at);
