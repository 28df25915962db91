import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';

/** Number, customer, SKUs and shipment code: what a person has at hand who looks for an order. */
export async function refreshOrderSearch(tx: Tx, workspaceId: string, orderId: string): Promise<void> {
  await tx.query(sql`
    insert into order_search (workspace_id, order_id, terms)
    select o.workspace_id, o.id, search_terms(variadic array[o.number::text, o.customer->>'name', o.customer->>'email',
      o.customer->>'document', o.code_shipping] || array(select item->>'sku' from jsonb_array_elements(o.items) item))
    from orders o where o.workspace_id = ${workspaceId} and o.id = ${orderId}
    on conflict (workspace_id, order_id) do update set terms = excluded.terms`);
}
