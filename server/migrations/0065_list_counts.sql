-- The number of records in each list of a store and the number of changes to it, so that a request for a page does not
-- have to count the records.
--
-- The total of a list is the sum of `records` over its rows. Each statement that adds or removes records inserts one
-- row with the difference in the same transaction, so the sum is correct in every snapshot and writers never wait for
-- each other, as they would if they updated a common counter. Readers use the sum once the row with `is_base` exists,
-- which contains the number of records before counting began. Decision page 0023 contains measurements.
create table list_counts (
  workspace_id uuid not null,
  list text not null,
  id bigint generated always as identity,
  is_base boolean not null default false,
  -- Records added minus records removed.
  records bigint not null,
  -- The number of records that were added or removed or, in tables with search terms, updated. While the sum of these
  -- numbers stays the same, earlier totals and search results are still correct.
  changes bigint not null,
  primary key (workspace_id, list, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create unique index list_counts_base on list_counts (workspace_id, list) where is_base;

-- Merges the differences of a list into one row. Rows that another transaction is merging are skipped, so that no
-- caller waits. The sum stays the same in every snapshot.
create function merge_list_counts(of_store uuid, of_list text) returns void language sql as $$
  with merged as (
    delete from list_counts where (workspace_id, list, id) in (
      select workspace_id, list, id from list_counts
      where workspace_id = of_store and list = of_list and not is_base
      for update skip locked)
    returning records, changes
  )
  insert into list_counts (workspace_id, list, records, changes)
  select of_store, of_list, sum(records), sum(changes) from merged having count(*) > 0
$$;

create function note_list_change() returns trigger language plpgsql as $$
declare
  noted record;
begin
  for noted in
    insert into list_counts (workspace_id, list, records, changes)
    select workspace_id, tg_argv[0], case tg_op when 'INSERT' then count(*) when 'DELETE' then -count(*) else 0 end, count(*)
    from changed group by workspace_id
    returning workspace_id
  loop
    -- Merges at random, so that readers add up about 32 rows on average. Merging at every 32nd id would not work: if
    -- the ids of two lists alternate, one of the lists never gets such an id.
    if random() < 1.0 / 32 then
      perform merge_list_counts(noted.workspace_id, tg_argv[0]);
    end if;
  end loop;
  return null;
end
$$;

create trigger products_added after insert on products referencing new table as changed
  for each statement execute function note_list_change('products');
create trigger products_removed after delete on products referencing old table as changed
  for each statement execute function note_list_change('products');
create trigger variations_added after insert on variations referencing new table as changed
  for each statement execute function note_list_change('variations');
create trigger variations_removed after delete on variations referencing old table as changed
  for each statement execute function note_list_change('variations');
create trigger orders_added after insert on orders referencing new table as changed
  for each statement execute function note_list_change('orders');
create trigger orders_removed after delete on orders referencing old table as changed
  for each statement execute function note_list_change('orders');
create trigger customers_added after insert on customers referencing new table as changed
  for each statement execute function note_list_change('customers');
create trigger customers_removed after delete on customers referencing old table as changed
  for each statement execute function note_list_change('customers');

-- Changes of search terms are counted, too, because a search may then find other records. The search terms of customers
-- are in the table customers itself.
create trigger product_search_added after insert on product_search referencing new table as changed
  for each statement execute function note_list_change('product_search');
create trigger product_search_changed after update on product_search referencing new table as changed
  for each statement execute function note_list_change('product_search');
create trigger product_search_removed after delete on product_search referencing old table as changed
  for each statement execute function note_list_change('product_search');
create trigger order_search_added after insert on order_search referencing new table as changed
  for each statement execute function note_list_change('order_search');
create trigger order_search_changed after update on order_search referencing new table as changed
  for each statement execute function note_list_change('order_search');
create trigger order_search_removed after delete on order_search referencing old table as changed
  for each statement execute function note_list_change('order_search');
create trigger customers_changed after update on customers referencing new table as changed
  for each statement execute function note_list_change('customers');
