-- The content of gateway notifications, which are kept permanently from now on. With it, a refund that is reported
-- before its payment can be applied when the payment is reported, and merchants can be shown notifications that do not
-- match an order. The columns are null in rows of earlier releases.
alter table payment_notifications
  add column workspace_id uuid,
  add column order_id uuid,
  add column transaction_id text,
  add column type text,
  add column amount numeric(14,2),
  add column refunded_in_all numeric(14,2),
  -- Why the notification needs manual review. Null if it needs none.
  add column attention text;

-- Rows of earlier releases were kept for a day, so these indexes are built on a small table.
create index payment_notifications_of_order on payment_notifications (workspace_id, order_id);
create index payment_notifications_attention on payment_notifications (received_at) where attention is not null;
drop index payment_notifications_age;
