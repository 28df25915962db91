-- As in 0114: a statement that sets variations.document_end itself must also set updated_at. This is a migration of its
-- own, so that products are not locked while it waits for the lock on variations.
drop trigger variations_updated on variations;
create trigger variations_updated before update on variations
  for each row when (new.document_end is not distinct from old.document_end and old.* is distinct from new.*)
  execute function set_updated_at();
