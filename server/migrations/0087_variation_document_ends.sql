-- The end of the JSON of a variation, as in 0086. This is a migration of its own, so that products are not locked while
-- it waits for the lock on variations.
alter table variations add column document_end text;
alter table variations alter column document_end set statistics 0;

-- Sets the time of a change, and the JSON that contains it. One function does both, because the JSON must contain the
-- new time. A restore inserts rows with the time of their last change, which must not be replaced.
create or replace function set_updated_at() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    new.updated_at := now();
  end if;
  new.document_end := ',"quantity":' || new.quantity || ',"updatedAt":"'
    || to_char(new.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}';
  return new;
end
$$;
create trigger variations_document_end before insert on variations
  for each row execute function set_updated_at();
