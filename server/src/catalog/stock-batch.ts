import type { Origin } from '../events/names.js';
import { emit, type NewEvent } from '../events/outbox.js';
import { stockUpdated, variationStockUpdated } from '../events/product-events.js';
import type { Queryable, Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { MAX_QUANTITY } from '../platform/schema/shapes.js';
import type { StockBatch } from './stock-schema.js';

type Entry = StockBatch['entries'][number];
type Line =
  | { sku: string; ok: true; quantity: number }
  | { sku: string; ok: false; error: string; code: string };

/** The simple product (variationId null) or the variation that has the SKU, with its stock. */
interface Target {
  sku: string;
  productId: string;
  variationId: string | null;
  quantity: number;
}

/**
 * Changes the stock of many SKUs of a store. Each entry succeeds or fails on its own. Calls with malformed entries were
 * already rejected by the schema.
 */
export async function applyStockBatch(
  tx: Tx,
  workspaceId: string,
  origin: Origin,
  { entries }: StockBatch,
): Promise<Line[]> {
  const skus = [...new Set(entries.map((entry) => entry.sku))];
  const targets = await lockTargets(tx, workspaceId, skus);
  const before = new Map(targets.map((target) => [target, target.quantity]));
  const bySku = new Map(skus.map((sku) => [sku, targets.filter((target) => target.sku === sku)]));
  const lines = entries.map((entry) => applyEntry(entry, bySku.get(entry.sku) ?? []));
  const changed = targets.filter((target) => target.quantity !== before.get(target));
  await tx.last(() =>
    Promise.all([
      store(tx, workspaceId, changed),
      emit(tx, workspaceId, origin, changed.map(balanceUpdated)),
    ]),
  );
  return lines;
}

/** Applies an entry. The target is updated immediately, so that a second entry for the same SKU builds on the first. */
function applyEntry(entry: Entry, targets: Target[]): Line {
  const refused = (code: string, error: string): Line => ({ sku: entry.sku, ok: false, error, code });
  const [target, another] = targets;
  if (!target) return refused('unknown_sku', 'No simple product and no variation of this store has this sku');
  if (another)
    return refused(
      'ambiguous_sku',
      `${targets.length} products of this store share this sku. Set the stock by product id instead`,
    );
  if (entry.ifQuantity !== undefined && entry.ifQuantity !== target.quantity) {
    return refused('quantity_mismatch', `The balance is ${target.quantity}, not ${entry.ifQuantity}`);
  }
  const quantity = entry.quantity ?? target.quantity + (entry.delta as number);
  if (quantity < 0)
    return refused('below_zero', `The balance is ${target.quantity} and cannot become ${quantity}`);
  if (quantity > MAX_QUANTITY) return refused('above_maximum', `The balance cannot exceed ${MAX_QUANTITY}`);
  target.quantity = quantity;
  return { sku: entry.sku, ok: true, quantity };
}

/**
 * Locks the products in the order of their ids and reads the stock of the SKUs. If another call has just moved a SKU to
 * a product that is not locked here, the SKU is reported as unknown.
 */
async function lockTargets(tx: Tx, workspaceId: string, skus: string[]): Promise<Target[]> {
  const products = [...new Set((await findTargets(tx, workspaceId, skus)).map((target) => target.productId))];
  const locked = new Set(products);
  const [, targets] = await Promise.all([
    tx.query(sql`
      select from products where workspace_id = ${workspaceId} and id = any(${products}::uuid[]) order by id for update`),
    findTargets(tx, workspaceId, skus),
  ]);
  return targets.filter((target) => locked.has(target.productId));
}

function findTargets(db: Queryable, workspaceId: string, skus: string[]): Promise<Target[]> {
  return db.query<Target>(sql`
    select sku, id as "productId", null::uuid as "variationId", quantity from products
    where workspace_id = ${workspaceId} and sku = any(${skus}::text[]) and not has_variants
    union all
    select sku, product_id, id, quantity from variations
    where workspace_id = ${workspaceId} and sku = any(${skus}::text[])`);
}

async function store(tx: Tx, workspaceId: string, changed: Target[]): Promise<void> {
  if (changed.length === 0) return;
  const rows = JSON.stringify(changed);
  await Promise.all([
    tx.query(sql`
      update variations v set quantity = c.quantity
      from jsonb_to_recordset(${rows}::jsonb) as c("productId" uuid, "variationId" uuid, quantity integer)
      where v.workspace_id = ${workspaceId} and v.product_id = c."productId" and v.id = c."variationId"`),
    tx.query(sql`
      update products p set updated_at = now(), quantity = case when p.has_variants
        then (select sum(v.quantity) from variations v where v.workspace_id = p.workspace_id and v.product_id = p.id)
        else c.quantity end
      from (select distinct on ("productId") * from jsonb_to_recordset(${rows}::jsonb) as c("productId" uuid, quantity integer)) c
      where p.workspace_id = ${workspaceId} and p.id = c."productId"`),
  ]);
}

function balanceUpdated({ productId, variationId, sku, quantity }: Target): NewEvent {
  return variationId === null
    ? stockUpdated(productId, quantity)
    : variationStockUpdated(productId, sku, quantity);
}
