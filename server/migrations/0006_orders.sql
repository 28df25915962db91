-- Orders, customers, payments and shipments.

alter table workspaces add column last_order_number bigint not null default 1000;

create table customers (
  workspace_id uuid not null,
  id uuid not null,
  -- Identifies a customer: the document (CPF or CNPJ) if there is one, otherwise the e-mail.
  identity text not null,
  name text not null,
  email text not null,
  phone text,
  document text,
  address jsonb,
  orders_count integer not null default 0,
  total_spent numeric(16,2) not null default 0,
  first_order_at timestamptz(3) not null,
  last_order_at timestamptz(3) not null,
  terms text not null,
  primary key (workspace_id, id),
  constraint customers_identity unique (workspace_id, identity)
);
create index customers_by_last_order on customers (workspace_id, last_order_at, id);
create index customers_grams on customers using gin (search_grams(workspace_id, terms));
-- For search texts that are too short for the index above.
create index customers_terms on customers using gin (workspace_id, terms gin_trgm_ops);

create table orders (
  workspace_id uuid not null,
  id uuid not null,
  number bigint not null,
  status text not null default 'pending'
    check (status in ('pending', 'paid', 'partial_refunded', 'refunded', 'canceled')),
  status_shipping text not null default 'pending'
    check (status_shipping in ('pending', 'preparing', 'sent', 'in_transit', 'delivered', 'returned', 'canceled')),
  code_shipping text,
  carrier text,
  tracking_url text,
  subtotal numeric(14,2) not null,
  discount numeric(14,2) not null default 0,
  shipping_cost numeric(14,2) not null,
  total numeric(14,2) not null,
  refunded_amount numeric(14,2) not null default 0 check (refunded_amount between 0 and total),
  payment_method text not null,
  installments integer not null default 1,
  gateway text not null,
  transaction_id text,
  customer_id uuid not null,
  customer jsonb not null,
  shipping_address jsonb not null,
  items jsonb not null,
  -- Identifies the checkout form. A form that is sent twice creates one order.
  checkout_id text not null,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  paid_at timestamptz(3),
  shipped_at timestamptz(3),
  delivered_at timestamptz(3),
  refunded_at timestamptz(3),
  canceled_at timestamptz(3),
  -- The transaction of the last change. Delta sync uses it instead of updated_at, because changes are not committed in
  -- the order of their times. Migration 0030 replaces this column.
  changed_xid xid8 not null default pg_current_xact_id(),
  primary key (workspace_id, id),
  constraint orders_number unique (workspace_id, number),
  constraint orders_checkout unique (workspace_id, checkout_id)
);
create index orders_by_created on orders (workspace_id, created_at, id);
create index orders_by_updated on orders (workspace_id, updated_at, id);
create index orders_by_change on orders (workspace_id, changed_xid, id);
create index orders_by_status on orders (workspace_id, status, created_at, id);
create index orders_by_shipping on orders (workspace_id, status_shipping, created_at, id);
create index orders_code on orders (workspace_id, code_shipping) where code_shipping is not null;
create index orders_expiry on orders (expires_at) where status = 'pending';

create function note_change() returns trigger language plpgsql as $$
begin
  new.updated_at := now();
  new.changed_xid := pg_current_xact_id();
  return new;
end
$$;
create trigger orders_change before update on orders for each row execute function note_change();

-- The search terms of orders are in a table of their own, like those of products in product_search, so that a change of
-- status does not update the search indexes.
create table order_search (
  workspace_id uuid not null,
  order_id uuid not null,
  terms text not null,
  primary key (workspace_id, order_id)
);
create index order_search_grams on order_search using gin (search_grams(workspace_id, terms));
create index order_search_terms on order_search using gin (workspace_id, terms gin_trgm_ops);

-- A refund is recorded before it is requested from the gateway, and its id identifies the request. A worker repeats the
-- request of an unfinished refund, and the gateway executes it once.
create table refunds (
  workspace_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  amount numeric(14,2) not null,
  reason text,
  restock boolean not null default false,
  idempotency_key text,
  status text not null default 'requested' check (status in ('requested', 'done')),
  created_at timestamptz(3) not null default now(),
  primary key (workspace_id, id)
);
create unique index refunds_one_at_a_time on refunds (workspace_id, order_id) where status = 'requested';
create index refunds_of_order on refunds (workspace_id, order_id, created_at);
create index refunds_unfinished on refunds (created_at) where status = 'requested';

-- Records the notifications that were received from a gateway, so that each is applied once.
create table payment_notifications (
  id text primary key,
  received_at timestamptz(3) not null default now()
);
create index payment_notifications_age on payment_notifications (received_at);

-- The sandbox gateway's own records.
create table sandbox_payments (
  id text primary key,
  workspace_id uuid not null,
  order_id uuid not null,
  store_name text not null,
  amount numeric(14,2) not null,
  method text not null,
  installments integer not null,
  return_url text not null,
  status text not null default 'open' check (status in ('open', 'paid', 'declined', 'canceled')),
  refunded numeric(14,2) not null default 0 check (refunded between 0 and amount),
  created_at timestamptz(3) not null default now()
);

create table sandbox_refunds (
  payment_id text not null references sandbox_payments,
  request_id text not null,
  amount numeric(14,2) not null,
  created_at timestamptz(3) not null default now(),
  primary key (payment_id, request_id)
);

-- The notifications that the sandbox still has to send. A row is written in the transaction that changes the payment,
-- and deleted once the notification has been received.
create table sandbox_outbox (
  id text primary key,
  payment_id text not null references sandbox_payments,
  type text not null,
  refunded_in_all numeric(14,2) not null,
  created_at timestamptz(3) not null default clock_timestamp()
);

create table shipments (
  workspace_id uuid not null,
  code text not null,
  order_id uuid not null,
  carrier text not null,
  -- Null if an app entered its own code instead of creating a label.
  cost numeric(14,2),
  estimated_delivery date,
  created_at timestamptz(3) not null default now(),
  primary key (workspace_id, code)
);
create index shipments_order on shipments (workspace_id, order_id);

create table shipment_events (
  workspace_id uuid not null,
  code text not null,
  id uuid not null default new_id(),
  status text not null,
  description text not null,
  location text,
  occurred_at timestamptz(3) not null default now(),
  primary key (workspace_id, code, id)
);
