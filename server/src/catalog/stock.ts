import type { Origin } from '../events/names.js';
import { insertStockUpdated, insertVariationStockUpdated } from '../events/product-events.js';
import type { Tx } from '../platform/db/share.js';
import { fixed, rawJson, sql } from '../platform/db/sql.js';
import { invalid, notFound } from '../platform/http/errors.js';
import { isId } from '../platform/schema/ids.js';
import { lockProduct } from './products.js';
import { productJson, type VariationRecord, variationColumns } from './records.js';
import { quantityIsASum } from './variation-structure.js';

/** Sets the stock of a simple product and returns its record as JSON. */
export async function setProductStock(
  tx: Tx,
  workspaceId: string,
  origin: Origin,
  id: string,
  quantity: number,
): Promise<string | Buffer> {
  const [product] = isId(id)
    ? await tx.query<{ json: string | Buffer; has_variants: boolean }>(
        setSimple(workspaceId, origin, id, quantity),
      )
    : [];
  if (!product) throw notFound('Product', id);
  if (product.has_variants) throw invalid([quantityIsASum()]);
  return product.json;
}

/**
 * Sets the stock of one variation by its SKU and updates the sum of the product. Returns undefined if no variation
 * has the SKU.
 */
export async function setVariationStock(
  tx: Tx,
  workspaceId: string,
  origin: Origin,
  productId: string,
  sku: string,
  quantity: number,
): Promise<VariationRecord | undefined> {
  if (!isId(productId)) throw notFound('Product', productId);
  if (!isStorable(sku)) return undefined;
  const [row] = await tx.query<VariationRecord & { found: boolean }>(
    setVariation(workspaceId, origin, productId, sku, quantity),
  );
  if (!row?.found) throw notFound('Product', productId);
  const { found, ...variation } = row;
  return variation.id ? variation : undefined;
}

/**
 * The same for a locked product. A single statement that waited for a concurrent change does not see a SKU that the
 * change moved to another variation, so the SKU is looked up again here before it is reported as unknown.
 */
export async function setVariationStockLocked(
  tx: Tx,
  workspaceId: string,
  origin: Origin,
  productId: string,
  sku: string,
  quantity: number,
): Promise<VariationRecord> {
  await lockProduct(tx, workspaceId, productId);
  const variation = await setVariationStock(tx, workspaceId, origin, productId, sku, quantity);
  if (!variation) throw notFound(`A variation with the sku "${sku.slice(0, 100)}" of product ${productId}`);
  return variation;
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

// The row is locked and read before the comparison, so `old` is the balance that this write replaces and not that of
// the statement's snapshot. If the balance is unchanged, nothing is written and no event is emitted.
const setSimple = fixed(
  (workspaceId: string, origin: Origin, id: string, quantity: number) => sql`
    with old as materialized (
      select p.* from products p where p.workspace_id = ${workspaceId} and p.id = ${id} for update
    ),
    changed as (
      update products as p set quantity = ${quantity}::integer, updated_at = now()
      from old where p.workspace_id = ${workspaceId} and p.id = ${id}
        and not old.has_variants and old.quantity <> ${quantity}::integer
      returning p.*
    ),
    event as (${insertStockUpdated(origin)})
    select ${rawJson(sql`${productJson} || '}'`, 'json')}, p.has_variants from changed p
    union all
    select ${rawJson(sql`${productJson} || '}'`, 'json')}, p.has_variants from old p where not exists (select from changed)`,
);

// The sum is also computed from the locked product. p.quantity is initially that of the snapshot, and with it a
// difference could fall below zero and violate the check constraint before PostgreSQL reads the newest row.
const setVariation = fixed(
  (workspaceId: string, origin: Origin, productId: string, sku: string, quantity: number) => sql`
    with product as materialized (
      select id, quantity from products where workspace_id = ${workspaceId} and id = ${productId} for update
    ),
    old as materialized (
      select v.* from product join variations v on v.product_id = product.id
      where v.workspace_id = ${workspaceId} and v.sku = ${sku} for update of v
    ),
    changed as (
      update variations as v set quantity = ${quantity}::integer
      from old where v.workspace_id = ${workspaceId} and v.product_id = old.product_id and v.id = old.id
        and old.quantity <> ${quantity}::integer
      returning v.*
    ),
    summed as (
      update products as p set quantity = product.quantity + ${quantity}::integer - old.quantity, updated_at = now()
      from product, old join changed on changed.id = old.id
      where p.workspace_id = ${workspaceId} and p.id = ${productId}
    ),
    event as (${insertVariationStockUpdated(origin)})
    select exists (select from product) as found, ${variationColumns}
    from (select) one left join (select * from changed union all select * from old where not exists (select from changed)) v on true`,
);
