-- note_list_change() runs five times for each batch of orders from the checkout. The loop over the returned rows opened a
-- cursor, and PostgreSQL planned the function in SQL again for each call. What the functions do remains the same.
-- The plan of the merge is now kept for the whole session. Sequential scans are disabled, because a plan that was made
-- while the table was small would otherwise read the whole table later.
create or replace function merge_list_counts(of_store uuid, of_list text) returns void
  language plpgsql set enable_seqscan = off
  as $$
begin
  with merged as (
    delete from list_counts where (workspace_id, list, id) in (
      select workspace_id, list, id from list_counts
      where workspace_id = of_store and list = of_list and not is_base
      for update skip locked)
    returning records, changes
  )
  insert into list_counts (workspace_id, list, records, changes)
  select of_store, of_list, sum(records), sum(changes) from merged having count(*) > 0;
end
$$;

create or replace function note_list_change() returns trigger language plpgsql as $$
begin
  insert into list_counts (workspace_id, list, records, changes)
  select workspace_id, tg_argv[0], case tg_op when 'INSERT' then count(*) when 'DELETE' then -count(*) else 0 end, count(*)
  from changed group by workspace_id;
  -- Merges at random, so that readers add up about 32 rows on average. Merging at every 32nd id would not work: if the
  -- ids of two lists alternate, one of the lists never gets such an id.
  if random() < 1.0 / 32 then
    perform merge_list_counts(workspace_id, tg_argv[0]) from (select distinct workspace_id from changed) store;
  end if;
  return null;
end
$$;
