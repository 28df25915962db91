import { Batcher } from '../platform/concurrency/batcher.js';
import type { Queryable } from '../platform/db/share.js';
import { arrayOf, fixed, rawJson, sql } from '../platform/db/sql.js';
import { isId } from '../platform/schema/ids.js';
import { orderJson } from './records.js';

interface Read {
  workspaceId: string;
  id: string;
}

/** Reads orders as JSON text. Concurrent reads are combined into one statement. */
export class OrderReads {
  private readonly reads = new Batcher(3, 12, (reads: Read[]) => this.findAll(reads));

  constructor(private readonly db: Queryable) {}

  find(workspaceId: string, id: string): Promise<string | Buffer | undefined> {
    return isId(id) ? this.reads.submit({ workspaceId, id }) : Promise.resolve(undefined);
  }

  private async findAll(reads: Read[]): Promise<(string | Buffer | undefined)[]> {
    const rows = await this.db.query<{ n: number; json: string | Buffer }>(
      ordersById(arrayOf(reads.map(({ workspaceId }) => workspaceId)), arrayOf(reads.map(({ id }) => id))),
    );
    const found: (string | Buffer | undefined)[] = reads.map(() => undefined);
    for (const { n, json } of rows) found[n - 1] = json;
    return found;
  }
}

// The arrays are in sub-selects to hide their length from the planner. Otherwise it would plan every execution again, to
// suit the length.
const ordersById = fixed(
  (workspaceIds: string, ids: string) => sql`
    select asked.n, ${rawJson(orderJson, 'json')}
    from unnest((select ${workspaceIds}::uuid[]), (select ${ids}::uuid[])) with ordinality as asked(workspace_id, id, n)
    join orders o on o.workspace_id = asked.workspace_id and o.id = asked.id`,
);
