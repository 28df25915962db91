-- Fiscal documents of an order: the NF-e (electronic invoice), or the DC-e (declaration of contents) if the sender does
-- not issue an NF-e. The access key is unique within a store, because one document belongs to one order.
create table invoices (
  workspace_id uuid not null,
  key text not null,
  order_id uuid not null,
  type text not null check (type in ('nfe', 'dce')),
  number text,
  series text,
  issued_at timestamptz(3),
  amount numeric(14,2),
  xml_url text,
  pdf_url text,
  created_at timestamptz(3) not null default now(),
  primary key (workspace_id, key)
);
create index invoices_of_order on invoices (workspace_id, order_id, created_at, key);
