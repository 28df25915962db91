-- The values by which products are sorted and that change often, in a narrow table of their own. A stock write changes
-- the quantity and the time of a product. While products had indexes on these columns, each stock write added an entry
-- to all eleven indexes of products, which took half of PostgreSQL's time for the write. Without such indexes, the new
-- version of the row needs no index entry if its page has room. Decision page 0044 contains measurements.
--
-- Triggers keep this table equal to the columns of products, also for writes of the previous release. The products
-- that exist already are added by 0090.
create table product_sort_values (
  workspace_id uuid not null,
  id uuid not null,
  quantity bigint not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id)
);
create index product_sort_values_by_quantity on product_sort_values (workspace_id, quantity, id);
create index product_sort_values_by_updated on product_sort_values (workspace_id, updated_at, id);

create function add_product_sort_values() returns trigger language plpgsql as $$
begin
  insert into product_sort_values (workspace_id, id, quantity, updated_at)
  select workspace_id, id, quantity, updated_at from added;
  return null;
end
$$;
create trigger products_sort_values_added after insert on products referencing new table as added
  for each statement execute function add_product_sort_values();

-- A plan of this update is kept for the whole session. Sequential scans are disabled, because a plan that was made for a
-- statement that changed many products would otherwise read the whole table for a single one.
create function change_product_sort_values() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  update product_sort_values s set quantity = c.quantity, updated_at = c.updated_at
  from changed c where s.workspace_id = c.workspace_id and s.id = c.id
    and (s.quantity <> c.quantity or s.updated_at <> c.updated_at);
  return null;
end
$$;
create trigger products_sort_values_changed after update on products referencing new table as changed
  for each statement execute function change_product_sort_values();

create function remove_product_sort_values() returns trigger language plpgsql as $$
begin
  delete from product_sort_values where workspace_id = old.workspace_id and id = old.id;
  return null;
end
$$;
create trigger products_sort_values_removed after delete on products
  for each row execute function remove_product_sort_values();

-- Leaves room on each page for the new versions of changed rows.
alter table products set (fillfactor = 85);

-- Adds the products that existed before the triggers, a few at a time. A batch locks its products, so none of them
-- changes between being read and being added. If one of them is locked by a transaction, the batch is tried again.
create procedure fill_product_sort_values() language plpgsql as $$
declare
  store uuid := '00000000-0000-0000-0000-000000000000';
  product uuid := '00000000-0000-0000-0000-000000000000';
  last record;
begin
  loop
    perform set_config('lock_timeout', '100ms', true);
    begin
      with batch as materialized (
        select workspace_id, id, quantity, updated_at from products
        where (workspace_id, id) > (store, product) order by workspace_id, id limit 500 for share
      ),
      filled as (
        insert into product_sort_values (workspace_id, id, quantity, updated_at)
        select workspace_id, id, quantity, updated_at from batch on conflict do nothing
      )
      select workspace_id, id into last from batch order by workspace_id desc, id desc limit 1;
    exception when lock_not_available then
      perform pg_sleep(0.1);
      continue;
    end;
    exit when last.id is null;
    store := last.workspace_id;
    product := last.id;
    commit;
  end loop;
end
$$;
