-- Subscriptions, their deliveries, and the result of each attempt.

create table webhooks (
  workspace_id uuid not null,
  id uuid not null,
  client_id text not null,
  url text not null,
  events text[] not null,
  -- Encrypted with FEIRA_SECRET. A hash would not be sufficient, because signing needs the secret itself.
  secret bytea not null,
  previous_secret bytea,
  previous_until timestamptz(3),
  lost_in_a_row integer not null default 0,
  last_delivery_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (workspace_id, id)
);

create index webhooks_client on webhooks (client_id);

create table deliveries (
  workspace_id uuid not null,
  id uuid not null default new_id(),
  webhook_id uuid not null,
  event_id uuid not null,
  event text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  attempts_left integer not null default 5,
  -- When the delivery is due. A worker that claims it sets this to the end of its lease, so that the delivery is due
  -- again if the worker dies.
  next_at timestamptz(3) not null default '-infinity',
  -- Increases each time the delivery is claimed, or queued again on request. A worker records a result only if this
  -- number has not changed since its claim, so it cannot overwrite a newer state.
  claims integer not null default 0,
  created_at timestamptz(3) not null default now(),
  primary key (workspace_id, id)
);
create index deliveries_due on deliveries (next_at) where status = 'pending';
create index deliveries_log on deliveries (workspace_id, webhook_id, created_at, id);
create index deliveries_failed on deliveries (workspace_id, webhook_id, created_at, id) where status = 'failed';
create index deliveries_age on deliveries (created_at);

create table delivery_attempts (
  workspace_id uuid not null,
  delivery_id uuid not null,
  number integer not null,
  at timestamptz(3) not null,
  status_code integer,
  error text,
  duration_ms integer not null,
  response text,
  primary key (workspace_id, delivery_id, number)
);

-- The order of the feed. An event is shown when all transactions with a lower xid than its own have ended, because from
-- then on no event can be added before it. seq is the order of the events of one transaction.
alter table events
  add column xid xid8 not null default pg_current_xact_id(),
  add column seq bigint generated always as identity;
create index events_feed on events (workspace_id, xid, seq);
create index events_age on events (created_at);

-- A trigger adds the deliveries, so that no statement that writes an event can omit them. An app gets deliveries only
-- if it has a grant that is connected and not revoked.
create function fan_out() returns trigger language plpgsql as $$
begin
  insert into deliveries (workspace_id, webhook_id, event_id, event)
  select e.workspace_id, w.id, e.id, e.event
  from new_events e join webhooks w on w.workspace_id = e.workspace_id and e.event = any(w.events)
  where exists (
    select from oauth_grants g
    where g.workspace_id = w.workspace_id and g.client_id = w.client_id
      and g.connected_at is not null and g.revoked_at is null)
  order by e.seq;
  return null;
end
$$;

create trigger events_fan_out after insert on events
  referencing new table as new_events for each statement execute function fan_out();
