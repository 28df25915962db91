-- A weekly partition is analyzed for the first time when it has 1,000 rows, not 50. With the statistics of fifty rows,
-- queries read the whole partition for each row that they look up, until the next analysis a minute later. Without
-- statistics, they use the primary key. The worker calls this function every ten minutes, so the existing
-- partitions of this week and of the weeks after it get the setting, too.
create or replace function add_partitions(parent text, since timestamptz, until timestamptz) returns void
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
    if not exists (select from pg_class where oid = partition::regclass
                   and 'autovacuum_analyze_threshold=1000' = any(reloptions)) then
      execute format('alter table %I set (autovacuum_analyze_threshold = 1000)', partition);
    end if;
    week := week + interval '7 days';
  end loop;
end
$$;
