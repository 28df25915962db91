import type { Share } from '../../platform/db/share.js';
import { sql } from '../../platform/db/sql.js';

/**
 * Moves the times of a demo order into the past. The checkout always uses the current time of the database, so the
 * times have to be changed afterwards. An unpaid order keeps its expiry. The entries of the event feed keep the time at
 * which they were emitted.
 */
export async function backdate(
  orders: Share,
  workspaceId: string,
  orderId: string,
  hoursAgo: number,
): Promise<void> {
  const hours = sql`interval '1 hour'`;
  await orders.transaction(async (tx) => {
    await tx.query(sql`
      update orders set created_at = now() - ${hoursAgo}::integer * ${hours},
        paid_at = case when paid_at is not null then now() - ${hoursAgo}::integer * ${hours} + interval '4 minutes' end,
        canceled_at = case when canceled_at is not null then now() - (${hoursAgo}::integer - 1) * ${hours} end,
        shipped_at = case when shipped_at is not null then now() - (${hoursAgo}::integer * 0.8) * ${hours} end,
        delivered_at = case when delivered_at is not null then now() - (${hoursAgo}::integer * 0.3) * ${hours} end,
        refunded_at = case when refunded_at is not null then now() - (${hoursAgo}::integer * 0.2) * ${hours} end
      where workspace_id = ${workspaceId} and id = ${orderId}`);
    await tx.query(sql`
      update customers c set first_order_at = least(c.first_order_at, o.created_at),
        last_order_at = (select max(created_at) from orders
          where workspace_id = ${workspaceId} and customer_id = c.id)
      from orders o where o.workspace_id = ${workspaceId} and o.id = ${orderId}
        and c.workspace_id = o.workspace_id and c.id = o.customer_id`);
    await tx.query(sql`
      update shipment_events e set occurred_at = now() - ${hours} * (${hoursAgo}::integer * case e.status
        when 'sent' then 0.8 when 'in_transit' then 0.55 else 0.3 end)
      from shipments s where s.workspace_id = ${workspaceId} and s.order_id = ${orderId}
        and e.workspace_id = s.workspace_id and e.code = s.code`);
    await tx.query(sql`
      update shipments set created_at = now() - ${hours} * (${hoursAgo}::integer * 0.9)
      where workspace_id = ${workspaceId} and order_id = ${orderId}`);
  });
}
