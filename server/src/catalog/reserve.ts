import type { Origin } from '../events/names.js';
import { insertStockUpdated, insertVariationStockUpdated } from '../events/product-events.js';
import type { Queryable, Tx } from '../platform/db/share.js';
import { fixed, raw, sql } from '../platform/db/sql.js';
import { MAX_QUANTITY } from '../platform/schema/shapes.js';

const maxQuantity = raw(String(MAX_QUANTITY));

/** A line of a cart: a simple product, or one variation of a product. */
export interface Line {
  productId: string;
  variantId: string | null;
  quantity: number;
}

/** A simple product or a variation, with its price and stock. */
export interface Sellable {
  productId: string;
  variantId: string | null;
  name: string;
  combination: string | null;
  sku: string | null;
  ean: string | null;
  /** The unit price for the buyer: the list price, or the promotional price if that is lower. */
  unitPrice: number;
  listPrice: number;
  stock: number;
  /** 1 is a digital product, which is not shipped. */
  typeId: number;
  weight: number | null;
  width: number | null;
  height: number | null;
  length: number | null;
}

/** What to do if another transaction holds a lock: wait until it ends, or continue without the lock. */
export type Locking = 'wait' | 'skip';

export interface LockedProducts {
  sellables: Sellable[];
  /** The ids of products that are not locked. Always empty with locking 'wait'. */
  skipped: Set<string>;
}

/** Locks products and reads their prices and stock. */
export async function lockSellables(
  tx: Tx,
  workspaceId: string,
  productIds: string[],
  locking: Locking,
): Promise<LockedProducts> {
  if (productIds.length === 0) return { sellables: [], skipped: new Set() };
  if (locking === 'wait') {
    const [, sellables] = await Promise.all([
      lockProducts(tx, workspaceId, productIds),
      readSellables(tx, workspaceId, productIds),
    ]);
    return { sellables, skipped: new Set() };
  }
  const [locked, sellables] = await Promise.all([
    lockFreeProducts(tx, workspaceId, productIds),
    readSellables(tx, workspaceId, productIds),
  ]);
  // A product that does not exist is neither locked nor skipped.
  const skipped = new Set(sellables.map(({ productId }) => productId));
  for (const { id } of locked) skipped.delete(id);
  return { sellables, skipped };
}

/**
 * Every writer that waits for the locks of several products takes them in the order of their ids, which prevents
 * deadlocks. The array is in a sub-select to hide its length from the planner, which would otherwise make a new plan
 * for each cart.
 */
async function lockProducts(tx: Tx, workspaceId: string, ids: string[]): Promise<void> {
  await tx.query(sql`
    select from products where workspace_id = ${workspaceId} and id = any((select ${ids}::uuid[])::uuid[])
    order by id for update`);
}

/** Locks those products that no other transaction has locked. */
async function lockFreeProducts(tx: Tx, workspaceId: string, ids: string[]): Promise<{ id: string }[]> {
  return tx.query<{ id: string }>(sql`
    select id from products where workspace_id = ${workspaceId} and id = any((select ${ids}::uuid[])::uuid[])
    for update skip locked`);
}

export async function readSellables(
  db: Queryable,
  workspaceId: string,
  productIds: string[],
): Promise<Sellable[]> {
  return db.query<Sellable>(sql`
    select p.id as "productId", v.id as "variantId", p.name, v.combination, case when p.has_variants then v.sku else p.sku end as sku,
      case when p.has_variants then v.ean else p.ean end as ean,
      least(coalesce(v.price, p.price), coalesce(p.price_discount, coalesce(v.price, p.price))) as "unitPrice",
      coalesce(v.price, p.price) as "listPrice", coalesce(v.quantity, p.quantity) as stock,
      p.type_id as "typeId", p.weight, p.width, p.height, p.length
    from products p
    left join variations v on v.workspace_id = p.workspace_id and v.product_id = p.id
    where p.workspace_id = ${workspaceId} and p.id = any((select ${productIds}::uuid[])::uuid[])
    order by p.id, v.position`);
}

/**
 * Subtracts sold quantities from the stock. The caller has locked the products and checked that the stock is
 * sufficient.
 */
export function takeStock(tx: Tx, workspaceId: string, origin: Origin, lines: Line[]): Promise<void> {
  return addStock(
    tx,
    workspaceId,
    origin,
    lines.map((line) => ({ ...line, quantity: -line.quantity })),
  );
}

/**
 * Adds units to the stock, such as those of canceled or refunded orders. Deleted products and variations are skipped.
 */
export async function returnStock(tx: Tx, workspaceId: string, origin: Origin, lines: Line[]): Promise<void> {
  const productIds = [...new Set(lines.map(({ productId }) => productId))];
  await lockProducts(tx, workspaceId, productIds);
  await addStock(tx, workspaceId, origin, lines);
}

async function addStock(tx: Tx, workspaceId: string, origin: Origin, lines: Line[]): Promise<void> {
  const statement = lines.every(({ variantId }) => variantId === null) ? addToSimpleStock : addToStock;
  await tx.query(statement(workspaceId, origin, JSON.stringify(lines)));
}

/**
 * Does the same as addToStock() for lines without variations. PostgreSQL prepares the constraints and runs the triggers
 * of a table that a statement mentions even if it changes none of its rows.
 */
const addToSimpleStock = fixed(
  (workspaceId: string, origin: Origin, lines: string) => sql`
    with line as materialized (
      select "productId" as product_id, sum(quantity)::integer as delta
      from jsonb_to_recordset(${lines}::jsonb) as l("productId" uuid, quantity integer) group by 1
    ),
    changed as (
      update products p set updated_at = now(), quantity = least(p.quantity + line.delta, ${maxQuantity}) from line
      where p.workspace_id = ${workspaceId} and p.id = line.product_id and not p.has_variants
      returning p.workspace_id, p.id, p.quantity
    )
    ${insertStockUpdated(origin)}`,
);

const addToStock = fixed(
  (workspaceId: string, origin: Origin, lines: string) => sql`
    with line as materialized (
      select "productId" as product_id, "variantId" as variant_id, sum(quantity)::integer as delta
      from jsonb_to_recordset(${lines}::jsonb) as l("productId" uuid, "variantId" uuid, quantity integer) group by 1, 2
    ),
    -- Returned stock is capped at the maximum balance, because reaching it must not prevent a cancellation or refund.
    fitting as (
      select v.product_id, v.id, least(line.delta, ${maxQuantity} - v.quantity) as delta
      from line join variations v on v.workspace_id = ${workspaceId} and v.product_id = line.product_id and v.id = line.variant_id
    ),
    variation as (
      update variations v set quantity = v.quantity + fitting.delta from fitting
      where v.workspace_id = ${workspaceId} and v.product_id = fitting.product_id and v.id = fitting.id
      returning v.workspace_id, v.product_id, v.id, v.sku, v.quantity, fitting.delta
    ),
    product as (
      update products p set updated_at = now(), quantity =
        case when p.has_variants then p.quantity + change.delta else least(p.quantity + change.delta, ${maxQuantity}) end
      from (
        select product_id, sum(delta) as delta, bool_or(of_variation) as of_variation from (
          select product_id, delta, true as of_variation from variation
          union all select product_id, delta, false from line where variant_id is null
        ) each group by product_id
      ) change
      where p.workspace_id = ${workspaceId} and p.id = change.product_id and p.has_variants = change.of_variation
      returning p.workspace_id, p.id, p.quantity, p.has_variants
    ),
    simple_product as (select * from product where not has_variants),
    variation_event as (${insertVariationStockUpdated(origin, raw('variation'))})
    ${insertStockUpdated(origin, raw('simple_product'))}`,
);
