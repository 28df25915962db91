-- Reservations of idempotency keys, for requests that wait for something other than the database (a webhook receiver, a
-- file, a payment gateway) and keep no transaction open meanwhile. If the process dies, its reservations expire.
create table idempotency_reservations (
  workspace_id uuid not null,
  client_id text not null,
  key text not null,
  token uuid not null,
  until timestamptz(3) not null,
  primary key (workspace_id, client_id, key)
);
create index idempotency_reservations_until on idempotency_reservations (until);
