-- A reliable order of events. Writers insert their events into a small outbox. A sequencer assigns numbers to the
-- committed events of each store, moves them to `events` and adds the deliveries. Decision page 0012 explains why this
-- order is the order of the changes.
--
-- Existing events and orders are numbered in the sequence that the previous release used. This copies `events` once,
-- and the table is locked meanwhile.

-- A position is assigned while the changed row is locked, so the later of two changes of a row has the higher position.
create table outbox (
  position bigint generated always as identity primary key,
  workspace_id uuid not null,
  id uuid not null default new_id(),
  -- Null if the row only records for delta sync that an order changed. The event of the change, if any, has its own
  -- row.
  event text,
  order_id uuid,
  data jsonb,
  origin text not null,
  created_at timestamptz(3) not null default now(),
  check ((event is null) = (order_id is not null)),
  check ((event is null) = (data is null))
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
create index outbox_of_store on outbox (workspace_id, position);

-- Returns the rows with the lowest positions, of one store or of all stores. The outbox can grow from empty to long
-- within a second, and a plan made for the empty table would then read and sort the whole table. In a function,
-- sequential scans can be disabled, so that the planner uses the index.
create function next_in_outbox(most integer) returns table (place tid, workspace_id uuid)
  language sql stable rows 10 set enable_seqscan = off
  as $$ select o.ctid, o.workspace_id from outbox o order by o.position limit most $$;

create function next_in_outbox(most integer, of_store uuid) returns table (place tid, workspace_id uuid)
  language sql stable rows 10 set enable_seqscan = off
  as $$ select o.ctid, o.workspace_id from outbox o where o.workspace_id = of_store order by o.position limit most $$;

-- One row per store, with the last numbers assigned to its events and order changes. The lock on the row serializes the
-- sequencers of the store.
create table event_heads (
  workspace_id uuid primary key,
  last_sequence bigint not null default 0,
  last_order_change bigint not null default 0,
  -- The epoch in which a number was last assigned.
  epoch integer not null default 0
) with (fillfactor = 70);

-- An epoch is a period in which no assigned number was lost. A new epoch begins whenever the database may have been set
-- back to an earlier state: after each start of PostgreSQL (which may use a restored folder), after the promotion of a
-- standby, and after a dump was restored.
create table event_epochs (
  ordinal integer generated always as identity primary key,
  id text not null unique,
  identity text not null unique,
  began_at timestamptz(3) not null default now()
);
create function history_identity() returns text
  language sql stable
  as $$ select extract(epoch from pg_postmaster_start_time())::text || ' ' || pg_relation_filepath('event_epochs') $$;

-- The last numbers of a store before an epoch. A row is written together with the first number assigned in that epoch.
create table event_epoch_entries (
  workspace_id uuid not null,
  epoch integer not null,
  last_sequence bigint not null,
  last_order_change bigint not null,
  primary key (workspace_id, epoch)
);

-- Weekly partitions. Ids are UUIDv7 and begin with a timestamp, so the id is sufficient to find the partition of a row.
create function first_id_of(at timestamptz) returns uuid
  language sql immutable strict parallel safe
  as $$ select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid $$;

create function time_of_id(id uuid) returns timestamptz
  language sql immutable strict parallel safe
  as $$ select to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) $$;

-- Creates the missing weekly partitions from `since` to `until`. Each is created as a separate table and then attached,
-- because `create table … partition of` needs a stronger lock on the parent. With `security definer`, a server process
-- does not have to own the tables.
create function add_partitions(parent text, since timestamptz, until timestamptz) returns void
  language plpgsql security definer set search_path = public, pg_temp
  as $$
declare
  week timestamptz := date_trunc('week', since, 'UTC');
  partition text;
begin
  perform pg_advisory_xact_lock(hashtextextended('partitions of ' || parent, 0));
  while week <= until loop
    partition := parent || '_' || to_char(week at time zone 'UTC', 'YYYYMMDD');
    if to_regclass(partition) is null then
      execute format('create table %I (like %I including all)', partition, parent);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)',
        parent, partition, first_id_of(week), first_id_of(week + interval '7 days'));
    end if;
    week := week + interval '7 days';
  end loop;
end
$$;

-- Drops the partitions whose rows are all older than `before`.
create function drop_partitions(parent text, before timestamptz) returns integer
  language plpgsql security definer set search_path = public, pg_temp
  as $$
declare
  partition text;
  dropped integer := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('partitions of ' || parent, 0));
  for partition in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = parent::regclass
      and to_date(right(c.relname, 8), 'YYYYMMDD')::timestamp at time zone 'UTC' + interval '7 days' <= before
  loop
    execute format('drop table %I', partition);
    dropped := dropped + 1;
  end loop;
  return dropped;
end
$$;

alter table events rename to events_of_first_release;
alter index events_pkey rename to events_of_first_release_pkey;
drop trigger events_fan_out on events_of_first_release;
drop function fan_out();

create table events (
  workspace_id uuid not null,
  id uuid not null,
  -- Per store and without gaps. If the number after a cursor was assigned but has no row, its event was deleted after
  -- the retention period.
  sequence bigint not null,
  event text not null,
  data jsonb not null,
  origin text not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, id)
) partition by range (id);
create index events_by_sequence on events (workspace_id, sequence);

select add_partitions('events', coalesce((select time_of_id(min(id::text)::uuid) from events_of_first_release), now()),
  now() + interval '21 days');

insert into events (workspace_id, id, sequence, event, data, origin, created_at)
select workspace_id, id, row_number() over (partition by workspace_id order by xid, seq), event, data, 'system', created_at
from events_of_first_release;

-- The number of the last change of each order. This is a table of its own, so that the sequencer never waits for an
-- order that a writer has locked.
create table order_changes (
  workspace_id uuid not null,
  order_id uuid not null,
  change bigint not null,
  primary key (workspace_id, order_id)
) with (fillfactor = 80);
create index order_changes_by_number on order_changes (workspace_id, change, order_id);

insert into order_changes (workspace_id, order_id, change)
select workspace_id, id, row_number() over (partition by workspace_id order by changed_xid, id) from orders;

insert into event_heads (workspace_id, last_sequence, last_order_change)
select w.id,
  coalesce((select max(sequence) from events e where e.workspace_id = w.id), 0),
  coalesce((select max(change) from order_changes c where c.workspace_id = w.id), 0)
from workspaces w;

drop table events_of_first_release;

-- A process of the previous release that is still running inserts into `events` without a number. A trigger moves its
-- events to the outbox.
create function enqueue_event() returns trigger language plpgsql as $$
begin
  insert into outbox (workspace_id, event, data, origin) values (new.workspace_id, new.event, new.data, 'system');
  return null;
end
$$;
alter table events alter column id set default new_id(), alter column created_at set default now();
create trigger events_enqueued before insert on events
  for each row when (new.sequence is null) execute function enqueue_event();

-- Every change of an order is numbered, whether it has an event or not. A trigger adds each change to the outbox, so
-- that no statement can omit it.
create function enqueue_order_change() returns trigger language plpgsql as $$
begin
  insert into outbox (workspace_id, order_id, origin) values (new.workspace_id, new.id, 'system');
  return null;
end
$$;
create trigger orders_enqueued after insert or update on orders
  for each row execute function enqueue_order_change();

create or replace function note_change() returns trigger language plpgsql as $$
begin
  new.updated_at := now();
  return new;
end
$$;
alter table orders drop column changed_xid;

-- The origin of the refund request. The events emitted when the refund is complete have the same origin.
alter table refunds add column origin text not null default 'system';

-- Only events with a position higher than this are delivered to the subscription. The column is set when the
-- subscription is created.
alter table webhooks add column after_position bigint not null default 0;
