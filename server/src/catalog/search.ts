import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';

/**
 * Updates the search terms of a product. Call this after a change to the product's name, or to a sku or ean of the
 * product or its variations.
 */
export async function refreshSearch(tx: Tx, workspaceId: string, productId: string): Promise<void> {
  await tx.query(sql`
    update product_search s
    set terms = search_terms(variadic array[p.name, p.sku, p.ean] || array(
      select code from variations v, unnest(array[v.sku, v.ean]) code
      where v.workspace_id = p.workspace_id and v.product_id = p.id and code is not null
      order by v.position))
    from products p
    where p.workspace_id = ${workspaceId} and p.id = ${productId}
      and s.workspace_id = ${workspaceId} and s.product_id = ${productId}`);
}
