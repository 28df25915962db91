-- A customer may spend more than numeric(16,2) holds: 101 orders of the largest amount overflow it. Changing the type
-- of total_spent would break the prepared statements of processes of the previous version that still run ("cached
-- plan must not change result type"), so the sum gets a new, wider column. This column is null until the sum
-- of the customer next changes; until then, readers use total_spent. The trigger updates both columns, whichever
-- version writes.
alter table customers add column amount_spent numeric(24,2);

create function keep_amount_spent() returns trigger language plpgsql as $$
begin
  if new.amount_spent is distinct from old.amount_spent then
    new.total_spent := least(new.amount_spent, 99999999999999.99);
  else
    new.amount_spent := coalesce(old.amount_spent, old.total_spent) + new.total_spent - old.total_spent;
  end if;
  return new;
end
$$;
create trigger customers_amount_spent before update of total_spent, amount_spent on customers
  for each row execute function keep_amount_spent();

-- A notification or refund that failed is tried again later, so that one that always fails does not block the others.
-- A notification or refund whose next_attempt_at is null is due.
alter table sandbox_outbox add column attempts integer not null default 0, add column next_attempt_at timestamptz(3);
alter table refunds add column attempts integer not null default 0, add column next_attempt_at timestamptz(3);
