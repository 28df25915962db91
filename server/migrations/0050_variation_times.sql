-- When each variation last changed. now() is evaluated once for all rows, so adding the column does not rewrite the
-- table. Existing variations count as changed by this migration.
alter table variations add column updated_at timestamptz(3) not null default now();

-- A trigger sets the time. Otherwise each of the several statements that change a variation would have to set it.
create function set_updated_at() returns trigger language plpgsql as $$
begin
  new.updated_at := now();
  return new;
end
$$;
create trigger variations_updated before update on variations
  for each row when (old.* is distinct from new.*) execute function set_updated_at();

create index variations_by_updated on variations (workspace_id, updated_at, id);
