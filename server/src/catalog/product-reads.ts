import { Batcher } from '../platform/concurrency/batcher.js';
import type { Queryable } from '../platform/db/share.js';
import { arrayOf, fixed, rawJson, sql } from '../platform/db/sql.js';
import { isId } from '../platform/schema/ids.js';
import { PRODUCT_PARTS, productJsonWith } from './product-json.js';

interface Read {
  workspaceId: string;
  id: string;
}

interface Detail {
  json: string | Buffer;
  /** The ETag: a hash of the JSON, in quotation marks. */
  etag: string;
}

/** Reads products with their images and variations as JSON text. Up to 12 concurrent reads share one statement. */
export class ProductReads {
  private readonly reads = new Batcher(3, 12, (reads: Read[]) => this.findAll(this.db, reads));

  constructor(
    private readonly db: Queryable,
    private readonly mediaUrl: string,
  ) {}

  find(workspaceId: string, id: string): Promise<Detail | undefined> {
    return isId(id) ? this.reads.submit({ workspaceId, id }) : Promise.resolve(undefined);
  }

  /** Reads one product through `tx`. Unlike in `find`, the read is not combined with others. */
  async findIn(tx: Queryable, workspaceId: string, id: string): Promise<Detail | undefined> {
    return isId(id) ? (await this.findAll(tx, [{ workspaceId, id }]))[0] : undefined;
  }

  private async findAll(db: Queryable, reads: Read[]): Promise<(Detail | undefined)[]> {
    const rows = await db.query<Detail & { n: number }>(
      details(
        arrayOf(reads.map(({ workspaceId }) => workspaceId)),
        arrayOf(reads.map(({ id }) => id)),
        this.mediaUrl,
      ),
    );
    const found: (Detail | undefined)[] = reads.map(() => undefined);
    for (const row of rows) found[row.n - 1] = row;
    return found;
  }
}

// The arrays are in sub-selects to hide their length from the planner. Otherwise it would plan every execution again, to
// suit the length.
const details = fixed(
  (workspaceIds: string, ids: string, mediaUrl: string) => sql`
    select n, ${rawJson(sql`json`, 'json')}, '"' || to_hex(hashtextextended(json, 0)) || '"' as etag
    from (select asked.n, ${productJsonWith(PRODUCT_PARTS, mediaUrl)} as json
    from unnest((select ${workspaceIds}::uuid[]), (select ${ids}::uuid[])) with ordinality as asked(workspace_id, id, n)
    join products p on p.workspace_id = asked.workspace_id and p.id = asked.id offset 0) details`,
);
