-- What the gateway reported, kept as long as the order: a refund that is reported before its payment is applied with the
-- payment, and a merchant can be shown what did not fit. Null in rows of earlier releases.
alter table payment_notifications
  add column workspace_id uuid,
  add column order_id uuid,
  add column transaction_id text,
  add column type text,
  add column amount numeric(14,2),
  add column refunded_in_all numeric(14,2),
  -- Why a person should look at it; null for a notification that was applied or repeated another.
  add column attention text;

-- Rows of earlier releases were kept for a day, so these indexes are built on a small table.
create index payment_notifications_of_order on payment_notifications (workspace_id, order_id);
create index payment_notifications_attention on payment_notifications (received_at) where attention is not null;
drop index payment_notifications_age;
