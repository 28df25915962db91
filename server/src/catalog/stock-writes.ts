import type { Origin } from '../events/names.js';
import { Batcher } from '../platform/db/batcher.js';
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
 * Balances of simple products that are set in the same moment become one statement and one commit: alone, a write costs
 * PostgreSQL three times as much. It takes what can be written at once; whatever cannot (the product is locked, has that
 * balance already, has variations, is not there) is done by itself and waits for nobody but itself.
 */
export class StockWrites {
  private readonly writes = new Batcher(2, 12, (writes: Write[]) => this.setAll(writes));

  constructor(private readonly db: Database) {}

  /** The product's record as JSON. */
  set(workspaceId: string, origin: Origin, id: string, quantity: number): Promise<string | Buffer> {
    const write = { workspaceId, origin, id, quantity };
    return isId(id) ? this.writes.submit(write) : this.setAlone(write);
  }

  private async setAll(writes: Write[]): Promise<(Buffer | Promise<string | Buffer>)[]> {
    // One write per product: of two, the statement would apply either.
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

  /** On the connections of its store: it may wait for a lock. */
  private setAlone({ workspaceId, origin, id, quantity }: Write): Promise<string | Buffer> {
    return setProductStock(this.db.store(workspaceId).autocommit, workspaceId, origin, id, quantity);
  }
}

// Locked and read before it is compared, as in setSimple. Rows that are locked elsewhere are passed over: no write here
// ever waits for a lock, so two of these cannot wait for each other either. The arrays are in sub-selects to hide their
// length from the planner, which would make a new plan for each.
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
    event as (
      insert into outbox (workspace_id, event, data, origin)
      select workspace_id, 'stock.updated', jsonb_build_object('id', id, 'quantity', quantity), origin from changed
    )
    select n, ${rawJson(sql`json`, 'json')} from changed`,
);
