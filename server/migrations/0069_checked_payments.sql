-- For a notification that needs attention, checked_at is the time at which the merchant marked it as checked. Earlier
-- releases kept rows of this table for only a day, so the table is small when the index is built.
alter table payment_notifications add column checked_at timestamptz(3);
create index payment_notifications_to_check on payment_notifications (workspace_id, received_at desc)
  where attention is not null and checked_at is null;
