import type { Origin } from '../events/names.js';
import { insertStockUpdated, insertVariationStockUpdated } from '../events/product-events.js';
import type { StoreAccess, Tx } from '../platform/db/share.js';
import { fixed, rawJson, type Statement, sql } from '../platform/db/sql.js';
import { invalid, notFound } from '../platform/http/errors.js';
import { isId } from '../platform/schema/ids.js';
import { lockProduct } from './products.js';
import { productJson, variationJson } from './records.js';
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

/** Sets the stock of a variation by its SKU, updates the product's total, and returns the variation as JSON. */
export async function setVariationStock(
  store: StoreAccess,
  workspaceId: string,
  origin: Origin,
  productId: string,
  sku: string,
  quantity: number,
): Promise<string | Buffer> {
  if (!isId(productId)) throw notFound('Product', productId);
  const statement = setVariation(workspaceId, origin, productId, sku, quantity);
  if (!isStorable(sku)) throw variationNotFound(productId, sku);
  const written = await trySetVariation(store.autocommit, productId, statement);
  if (written) return written;
  // If the statement waited for a concurrent change, it does not see a SKU that the change moved to another variation.
  // So before the SKU is reported as unknown, it is looked up again while the product is locked.
  return store.transaction(async (tx) => {
    await lockProduct(tx, workspaceId, productId);
    const variation = await trySetVariation(tx, productId, statement);
    if (!variation) throw variationNotFound(productId, sku);
    return variation;
  });
}

/** Sets the stock in one statement. Returns undefined if no variation of the product has the SKU. */
async function trySetVariation(
  tx: Tx,
  productId: string,
  statement: Statement,
): Promise<string | Buffer | undefined> {
  const [row] = await tx.query<{ found: boolean; json: string | Buffer | null }>(statement);
  if (!row?.found) throw notFound('Product', productId);
  return row.json ?? undefined;
}

function variationNotFound(productId: string, sku: string) {
  return notFound(`A variation with the sku "${sku.slice(0, 100)}" of product ${productId}`);
}

/** PostgreSQL stores neither NUL nor unpaired surrogates, so no SKU contains them. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

// The row is locked and read before the old and new balances are compared, so `old` has the balance that this write
// replaces and not an older one from the snapshot of the statement. If the balance does not change, nothing is written
// and no event is emitted.
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

// The new sum is computed from the locked product. If it were computed from p.quantity, which PostgreSQL first reads
// from the snapshot, it could fall below zero and violate the check constraint.
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
    select exists (select from product) as found, ${rawJson(variationJson, 'json')}
    from (select) one left join (select * from changed union all select * from old where not exists (select from changed)) v on true`,
);
