-- Deliveries are claimed per subscription, so that a claim does not have to skip the backlog of other subscriptions.
-- Like events, deliveries have weekly partitions. This migration copies the existing deliveries to the new table.

-- Returns the id of a delivery, computed from the event and the subscription. The header X-Service-Delivery contains
-- the event id, so this header and the subscription are enough to find a delivery by its primary key. The id begins
-- like the event id, so a delivery is in the partition of the week of its event.
create function delivery_id(event_id uuid, webhook_id uuid) returns uuid
  language sql immutable strict parallel safe
  as $$
    select (left(replace(event_id::text, '-', ''), 16) || '8' || left(md5(event_id::text || webhook_id::text), 15))::uuid
  $$;

alter table deliveries rename to deliveries_of_first_release;
alter table delivery_attempts rename to attempts_of_first_release;
alter index deliveries_pkey rename to deliveries_of_first_release_pkey;
alter index delivery_attempts_pkey rename to attempts_of_first_release_pkey;
drop index deliveries_due, deliveries_log, deliveries_failed, deliveries_age;

create table deliveries (
  workspace_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  event text not null,
  -- dropped: the subscription had too many pending deliveries, or this delivery was overdue for too long. The
  -- event feed still contains the event.
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed', 'dropped')),
  attempts integer not null default 0,
  attempts_left integer not null default 5,
  -- When the delivery is due. A worker that claims it sets this to the end of its lease, so that the delivery is due
  -- again if the worker dies.
  next_at timestamptz(3) not null default '-infinity',
  -- Increases each time the delivery is claimed, queued again on request or dropped. A worker records a result only if
  -- this number has not changed since its claim, so it cannot overwrite a newer state.
  claims integer not null default 0,
  created_at timestamptz(3) not null default now(),
  primary key (workspace_id, id)
) partition by range (id);
create index deliveries_due on deliveries (workspace_id, webhook_id, next_at) where status = 'pending';
create index deliveries_log on deliveries (workspace_id, webhook_id, created_at, id);
create index deliveries_failed on deliveries (workspace_id, webhook_id, created_at, id) where status = 'failed';

-- Partitioned by the id of the delivery, so that the partitions of deliveries and of their attempts are dropped
-- together.
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
) partition by range (delivery_id);

select add_partitions(parent, coalesce((select time_of_id(min(id::text)::uuid) from deliveries_of_first_release), now()),
  now() + interval '21 days')
from unnest(array['deliveries', 'delivery_attempts']) parent;
-- Events are kept for at least 30 days, and a delivery is in the partition of its event's week. So the partitions of
-- the last 35 days are needed even if all existing rows are newer.
select add_partitions(parent, now() - interval '35 days', now())
from unnest(array['events', 'deliveries', 'delivery_attempts']) parent;

insert into deliveries select workspace_id, id, webhook_id, event_id, event, status, attempts, attempts_left, next_at, claims, created_at
from deliveries_of_first_release;
insert into delivery_attempts select workspace_id, delivery_id, number, at, status_code, error, duration_ms, response
from attempts_of_first_release a
where exists (select from deliveries_of_first_release d where d.workspace_id = a.workspace_id and d.id = a.delivery_id);
drop table deliveries_of_first_release, attempts_of_first_release;

-- One row per subscription that has pending deliveries, or had some since this migration.
create table delivery_queues (
  workspace_id uuid not null,
  webhook_id uuid not null,
  -- When a worker looks for due deliveries next: at the latest when the first pending one is due, or at once if it is
  -- overdue. Infinity only if none is pending.
  next_at timestamptz(3) not null,
  -- The number of changes that may have set next_at to an earlier time. A claim whose snapshot does not contain the
  -- latest of these changes leaves next_at unchanged.
  changes bigint not null default 0,
  primary key (workspace_id, webhook_id)
) with (fillfactor = 50);
create index delivery_queues_due on delivery_queues (next_at);

insert into delivery_queues (workspace_id, webhook_id, next_at)
select workspace_id, webhook_id, min(next_at) from deliveries where status = 'pending' group by workspace_id, webhook_id;

-- pg_inherits also contains the partitions of indexes, whose names do not end in a date. PostgreSQL may evaluate
-- to_date() for them before it checks the parent, so to_date() is now called in the loop.
create or replace function drop_partitions(parent text, before timestamptz) returns integer
  language plpgsql security definer set search_path = public, pg_temp
  as $$
declare
  partition text;
  dropped integer := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('partitions of ' || parent, 0));
  for partition in select inhrelid::regclass::text from pg_inherits where inhparent = parent::regclass loop
    continue when to_date(right(partition, 8), 'YYYYMMDD')::timestamp at time zone 'UTC' + interval '7 days' > before;
    execute format('drop table %I', partition);
    dropped := dropped + 1;
  end loop;
  return dropped;
end
$$;
