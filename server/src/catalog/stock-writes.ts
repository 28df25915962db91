import type { Origin } from '../events/names.js';
import { insertStockUpdated, insertVariationStockUpdated } from '../events/product-events.js';
import { Batcher, SLOW_MS } from '../platform/concurrency/batcher.js';
import { firstOfEach } from '../platform/concurrency/first-of-each.js';
import type { Database } from '../platform/db/database.js';
import { arrayOf, fixed, rawJson, type Statement, sql } from '../platform/db/sql.js';
import { isId } from '../platform/schema/ids.js';
import { newProductEnd, newVariationEnd, productJson, variationJson } from './records.js';
import { isStorable, setProductStock, setVariationStock } from './stock.js';

interface Write {
  workspaceId: string;
  origin: Origin;
  productId: string;
  quantity: number;
}

interface VariationWrite extends Write {
  sku: string;
}

type Json = string | Buffer;

/**
 * A statement takes about 380 µs of PostgreSQL plus 65 µs for each write, or 670 and 110 µs if the writes are of
 * variations. So fewer writes than MIN_SECOND_BATCH wait for the running statement instead of starting another. Without
 * this, and with at most 12 writes per statement, a write took 6 to 13% more of PostgreSQL's time.
 */
const MAX_BATCH = 16;
const MIN_SECOND_BATCH = 8;

/**
 * Combines concurrent stock writes into one statement and one commit, because separate writes cost PostgreSQL three
 * times as much. A write that the combined statement cannot apply, for example because the product is locked or does
 * not exist, is executed separately and waits only for its own product.
 */
export class StockWrites {
  private readonly products = new Batcher(
    2,
    MAX_BATCH,
    (writes: Write[]) => this.setAll(writes, setProducts, (write) => this.setProductAlone(write)),
    SLOW_MS,
    MIN_SECOND_BATCH,
  );
  private readonly variations = new Batcher(
    2,
    MAX_BATCH,
    (writes: VariationWrite[]) =>
      this.setAll(writes, setVariations, (write) => this.setVariationAlone(write)),
    SLOW_MS,
    MIN_SECOND_BATCH,
  );

  constructor(private readonly db: Database) {}

  /** Returns the product record as JSON. */
  setProduct(write: Write): Promise<Json> {
    return isId(write.productId) ? this.products.submit(write) : this.setProductAlone(write);
  }

  /** Returns the variation record as JSON. */
  setVariation(write: VariationWrite): Promise<Json> {
    const { productId, sku } = write;
    return isId(productId) && isStorable(sku) ? this.variations.submit(write) : this.setVariationAlone(write);
  }

  private async setAll<W extends Write>(
    writes: W[],
    statement: (writes: W[]) => Statement,
    setAlone: (write: W) => Promise<Json>,
  ): Promise<(Json | Promise<Json>)[]> {
    // Include at most one write per product, because one UPDATE applies only one of several changes to a row.
    const first = firstOfEach(writes, ({ productId }) => productId);
    const rows = await this.db
      .system('stock')
      .autocommit.query<{ n: number; json: Buffer }>(statement(first));
    const written = new Map(rows.map(({ n, json }): [W, Buffer] => [first[n - 1]!, json]));
    return writes.map((write) => written.get(write) ?? setAlone(write));
  }

  // Separate writes may wait for a lock. They use their store's share of the connections, so that they do not delay the
  // writes of other stores.

  private setProductAlone({ workspaceId, origin, productId, quantity }: Write): Promise<Json> {
    return setProductStock(this.db.store(workspaceId).autocommit, workspaceId, origin, productId, quantity);
  }

  private setVariationAlone({
    workspaceId,
    origin,
    productId,
    sku,
    quantity,
  }: VariationWrite): Promise<Json> {
    return setVariationStock(this.db.store(workspaceId), workspaceId, origin, productId, sku, quantity);
  }
}

// In both statements below, rows are locked and read before the old and new balances are compared, as in stock.ts. A
// row that already has the requested balance is returned unchanged. Rows that another transaction has locked are
// skipped: a statement that waits for no lock cannot deadlock with another. The arrays are in sub-selects to hide their
// length from the planner. Otherwise it would plan every execution again, to suit the length. The statements set
// document_end themselves, because this costs less than the triggers that otherwise set it.

const productsStatement = fixed(
  (workspaceIds: string, ids: string, quantities: string, origins: string) => sql`
    with old as materialized (
      select p.workspace_id, p.id, p.quantity, asked.quantity as wanted, asked.origin, asked.n,
        case when p.quantity = asked.quantity then ${productJson} || '}' end as unchanged
      from unnest((select ${workspaceIds}::uuid[]), (select ${ids}::uuid[]), (select ${quantities}::integer[]),
          (select ${origins}::text[])) with ordinality as asked(workspace_id, id, quantity, origin, n)
      join products p on p.workspace_id = asked.workspace_id and p.id = asked.id
      where not p.has_variants for update of p skip locked
    ),
    changed as (
      update products p set quantity = old.wanted, updated_at = now(), document_end = ${newProductEnd('old.wanted')}
      from old where p.workspace_id = old.workspace_id and p.id = old.id and old.quantity <> old.wanted
      returning p.workspace_id, p.id, p.quantity, old.origin, old.n, ${productJson} || '}' as json
    ),
    event as (${insertStockUpdated(sql`origin`)})
    select n, ${rawJson(sql`json`, 'json')}
    from (select n, json from changed union all select n, unchanged from old where unchanged is not null) written`,
);

function setProducts(writes: Write[]): Statement {
  return productsStatement(
    arrayOf(writes.map(({ workspaceId }) => workspaceId)),
    arrayOf(writes.map(({ productId }) => productId)),
    arrayOf(writes.map(({ quantity }) => quantity)),
    arrayOf(writes.map(({ origin }) => origin)),
  );
}

// The variation is looked up after its product is locked, because moving a SKU to another variation
// requires the same lock.
const variationsStatement = fixed(
  (workspaceIds: string, ids: string, skus: string[], quantities: string, origins: string) => sql`
    with product as materialized (
      select p.workspace_id, p.id, p.quantity, asked.sku, asked.quantity as wanted, asked.origin, asked.n
      from unnest((select ${workspaceIds}::uuid[]), (select ${ids}::uuid[]), (select ${skus}::text[]),
          (select ${quantities}::integer[]), (select ${origins}::text[]))
        with ordinality as asked(workspace_id, id, sku, quantity, origin, n)
      join products p on p.workspace_id = asked.workspace_id and p.id = asked.id
      for update of p skip locked
    ),
    old as materialized (
      select v.workspace_id, v.product_id, v.id, v.quantity, product.quantity as sum, product.wanted, product.origin, product.n,
        case when v.quantity = product.wanted then ${variationJson} end as unchanged
      from product join variations v
        on v.workspace_id = product.workspace_id and v.product_id = product.id and v.sku = product.sku
      for update of v skip locked
    ),
    changed as (
      update variations v set quantity = old.wanted, updated_at = now(), document_end = ${newVariationEnd('old.wanted')}
      from old where v.workspace_id = old.workspace_id and v.product_id = old.product_id and v.id = old.id
        and old.quantity <> old.wanted
      returning v.workspace_id, v.product_id, v.sku, v.quantity, old.sum + old.wanted - old.quantity as sum, old.origin,
        old.n, ${variationJson} as json
    ),
    summed as (
      update products p set quantity = changed.sum, updated_at = now(), document_end = ${newProductEnd('changed.sum')}
      from changed where p.workspace_id = changed.workspace_id and p.id = changed.product_id
    ),
    event as (${insertVariationStockUpdated(sql`origin`)})
    select n, ${rawJson(sql`json`, 'json')}
    from (select n, json from changed union all select n, unchanged from old where unchanged is not null) written`,
);

function setVariations(writes: VariationWrite[]): Statement {
  return variationsStatement(
    arrayOf(writes.map(({ workspaceId }) => workspaceId)),
    arrayOf(writes.map(({ productId }) => productId)),
    writes.map(({ sku }) => sku),
    arrayOf(writes.map(({ quantity }) => quantity)),
    arrayOf(writes.map(({ origin }) => origin)),
  );
}
