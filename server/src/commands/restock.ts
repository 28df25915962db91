import { readSellables, returnStock } from '../catalog/reserve.js';
import type { Database } from '../platform/db/database.js';
import { sql } from '../platform/db/sql.js';

const UNITS = 25;
const PRODUCTS = 20;

/**
 * Adds stock, as a merchant would, to up to 20 products that are sold out or have sold-out variations. It considers
 * only the newest products, because simulated buyers choose from these. Returns how many products and variations got
 * stock.
 */
export async function restock(db: Database, workspaceId: string): Promise<number> {
  const store = db.store(workspaceId);
  const products = await store.query<{ id: string }>(sql`
    select p.id from (
      select id, quantity, has_variants from products where workspace_id = ${workspaceId}
      order by created_at desc, id desc limit 200) p
    where p.quantity = 0 or (p.has_variants and exists (
      select from variations v where v.workspace_id = ${workspaceId} and v.product_id = p.id and v.quantity = 0))
    limit ${PRODUCTS}::integer`);
  const sellables = await readSellables(
    store,
    workspaceId,
    products.map(({ id }) => id),
  );
  const lines = sellables
    .filter(({ stock }) => stock === 0)
    .map(({ productId, variantId }) => ({ productId, variantId, quantity: UNITS }));
  if (lines.length > 0) await store.transaction((tx) => returnStock(tx, workspaceId, 'console', lines));
  return lines.length;
}
