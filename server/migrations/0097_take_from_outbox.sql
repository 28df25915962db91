-- Removes rows from the outbox by their places and returns them. The outbox is nearly always empty when PostgreSQL plans
-- the statement that numbers events, and for an empty table it plans to read the whole table, compare each row with each
-- place, and so on for all rows that were deleted since the last vacuum. In a function, sequential scans can be
-- disabled, so that each row is read at its place.
create function take_from_outbox(places tid[]) returns setof outbox
  language plpgsql rows 10 set enable_seqscan = off
  as $$
begin
  return query delete from outbox o where o.ctid = any(places) returning o.*;
end
$$;
