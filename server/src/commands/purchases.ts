import { ordersOf } from '../orders/storage.js';
import type { Database } from '../platform/db/database.js';
import { sql } from '../platform/db/sql.js';

/** An order of a simulated buyer, as the command line reports it. */
export interface Purchase {
  orderId: string;
  number: number;
  buyer: string;
  city: string;
  items: string;
  total: number;
  method: string;
  status: string;
}

export async function readPurchases(
  db: Database,
  workspaceId: string,
  orderIds: string[],
): Promise<Purchase[]> {
  return ordersOf(db, workspaceId).query<Purchase>(sql`
    select o.id as "orderId", o.number, o.customer->>'name' as buyer, o.shipping_address->>'city' as city,
      (select string_agg((item->>'quantity') || ' × ' || (item->>'name') || coalesce(' (' || (item->>'combination') || ')', ''), ', ')
       from jsonb_array_elements(o.items) as item) as items,
      o.total, o.payment_method as method, o.status
    from orders o where o.workspace_id = ${workspaceId} and o.id = any(${orderIds}::uuid[]) order by o.number`);
}

/** Formats one line, such as "Order 43: Ana Lima, Recife: 1 × Caneca (Azul), R$ 47.65 by pix, paid. Id 01a1…". */
export function sentence({ orderId, number, buyer, city, items, total, method, status }: Purchase): string {
  return `Order ${number}: ${buyer}, ${city}: ${items}, R$ ${total.toFixed(2)} by ${method}, ${status}. Id ${orderId}`;
}
