import type { Origin } from '../events/names.js';
import { insertStockUpdated } from '../events/product-events.js';
import { Batcher } from '../platform/concurrency/batcher.js';
import type { Database } from '../platform/db/database.js';
import { arrayOf, fixed, rawJson, sql } from '../platform/db/sql.js';
import { isId } from '../platform/schema/ids.js';
import { productJson } from './records.js';
import { setProductStock } from './stock.js';

interface Write {
  workspaceId: string;
  origin: Origin;
  id: string;
  quantity: number;
}

/**
 * Combines concurrent stock writes of simple products into one statement and one commit, because a separate write
 * costs PostgreSQL three times as much. Writes that the combined statement cannot apply (the product is locked,
 * already has that balance, has variations, or does not exist) are executed separately and wait only for their own
 * product.
 */
export class StockWrites {
  private readonly writes = new Batcher(2, 12, (writes: Write[]) => this.setAll(writes));

  constructor(private readonly db: Database) {}

  /** Returns the product record as JSON. */
  set(workspaceId: string, origin: Origin, id: string, quantity: number): Promise<string | Buffer> {
    const write = { workspaceId, origin, id, quantity };
    return isId(id) ? this.writes.submit(write) : this.setAlone(write);
  }

  private async setAll(writes: Write[]): Promise<(Buffer | Promise<string | Buffer>)[]> {
    // At most one write per product, because the statement would apply either of two.
    const first = writes.filter(({ id }, index) => writes.findIndex((write) => write.id === id) === index);
    const rows = await this.db
      .system('stock')
      .autocommit.query<{ n: number; json: Buffer }>(
        setMany(
          arrayOf(first.map(({ workspaceId }) => workspaceId)),
          arrayOf(first.map(({ id }) => id)),
          arrayOf(first.map(({ quantity }) => quantity)),
          arrayOf(first.map(({ origin }) => origin)),
        ),
      );
    const written = new Map(rows.map(({ n, json }): [Write, Buffer] => [first[n - 1]!, json]));
    return writes.map((write) => written.get(write) ?? this.setAlone(write));
  }

  /** Uses the connections of its store, because it may wait for a lock. */
  private setAlone({ workspaceId, origin, id, quantity }: Write): Promise<string | Buffer> {
    return setProductStock(this.db.store(workspaceId).autocommit, workspaceId, origin, id, quantity);
  }
}

// Rows are locked and read before the comparison, as in setSimple. Locked rows are skipped: no write here waits for a
// lock, so two of these statements cannot wait for each other. The arrays are in sub-selects to hide their length
// from the planner, which would otherwise create a new plan for each length.
const setMany = fixed(
  (workspaceIds: string, ids: string, quantities: string, origins: string) => sql`
    with old as materialized (
      select p.workspace_id, p.id, p.quantity, asked.quantity as wanted, asked.origin, asked.n
      from unnest((select ${workspaceIds}::uuid[]), (select ${ids}::uuid[]), (select ${quantities}::integer[]),
          (select ${origins}::text[])) with ordinality as asked(workspace_id, id, quantity, origin, n)
      join products p on p.workspace_id = asked.workspace_id and p.id = asked.id
      where not p.has_variants for update of p skip locked
    ),
    changed as (
      update products p set quantity = old.wanted, updated_at = now()
      from old where p.workspace_id = old.workspace_id and p.id = old.id and old.quantity <> old.wanted
      returning p.workspace_id, p.id, p.quantity, old.origin, old.n, ${productJson} || '}' as json
    ),
    event as (${insertStockUpdated(sql`origin`)})
    select n, ${rawJson(sql`json`, 'json')} from changed`,
);
