-- The times by which the variations of a store are sorted, as in 0088. Rows are found by their time, so the primary key
-- is the only index. The variations that exist already are added by 0091.
create table variation_sort_values (
  workspace_id uuid not null,
  updated_at timestamptz(3) not null,
  id uuid not null,
  product_id uuid not null,
  primary key (workspace_id, updated_at, id)
);

create function add_variation_sort_values() returns trigger language plpgsql as $$
begin
  insert into variation_sort_values (workspace_id, updated_at, id, product_id)
  select workspace_id, updated_at, id, product_id from added;
  return null;
end
$$;
create trigger variations_sort_values_added after insert on variations referencing new table as added
  for each statement execute function add_variation_sort_values();

create function change_variation_sort_values() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  update variation_sort_values s set updated_at = c.updated_at
  from replaced r
  join changed c on c.workspace_id = r.workspace_id and c.product_id = r.product_id and c.id = r.id
  where s.workspace_id = r.workspace_id and s.updated_at = r.updated_at and s.id = r.id
    and c.updated_at <> r.updated_at;
  return null;
end
$$;
create trigger variations_sort_values_changed after update on variations
  referencing old table as replaced new table as changed
  for each statement execute function change_variation_sort_values();

create function remove_variation_sort_values() returns trigger language plpgsql as $$
begin
  delete from variation_sort_values
  where workspace_id = old.workspace_id and updated_at = old.updated_at and id = old.id;
  return null;
end
$$;
create trigger variations_sort_values_removed after delete on variations
  for each row execute function remove_variation_sort_values();

alter table variations set (fillfactor = 85);

create procedure fill_variation_sort_values() language plpgsql as $$
declare
  store uuid := '00000000-0000-0000-0000-000000000000';
  product uuid := '00000000-0000-0000-0000-000000000000';
  variation uuid := '00000000-0000-0000-0000-000000000000';
  last record;
begin
  loop
    perform set_config('lock_timeout', '100ms', true);
    begin
      with batch as materialized (
        select workspace_id, product_id, id, updated_at from variations
        where (workspace_id, product_id, id) > (store, product, variation)
        order by workspace_id, product_id, id limit 500 for share
      ),
      filled as (
        insert into variation_sort_values (workspace_id, updated_at, id, product_id)
        select workspace_id, updated_at, id, product_id from batch on conflict do nothing
      )
      select workspace_id, product_id, id into last from batch
      order by workspace_id desc, product_id desc, id desc limit 1;
    exception when lock_not_available then
      perform pg_sleep(0.1);
      continue;
    end;
    exit when last.id is null;
    store := last.workspace_id;
    product := last.product_id;
    variation := last.id;
    commit;
  end loop;
end
$$;
