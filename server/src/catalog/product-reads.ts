import { type NumberedRow, RecordReads } from '../platform/db/record-reads.js';
import type { Queryable } from '../platform/db/share.js';
import { fixed, rawJson, sql } from '../platform/db/sql.js';
import { PRODUCT_PARTS, productJsonWith } from './product-json.js';

interface Detail extends NumberedRow {
  json: string | Buffer;
  /** The ETag: a hash of the JSON, in quotation marks. */
  etag: string;
}

/** Returns the reads of products with their images and variations as JSON text. */
export function productReads(db: Queryable, mediaUrl: string): RecordReads<Detail> {
  return new RecordReads(db, (workspaceIds, ids) => details(workspaceIds, ids, mediaUrl));
}

const details = fixed(
  (workspaceIds: string, ids: string, mediaUrl: string) => sql`
    select n, ${rawJson(sql`json`, 'json')}, '"' || to_hex(hashtextextended(json, 0)) || '"' as etag
    from (select asked.n, ${productJsonWith(PRODUCT_PARTS, mediaUrl)} as json
    from unnest((select ${workspaceIds}::uuid[]), (select ${ids}::uuid[])) with ordinality as asked(workspace_id, id, n)
    join products p on p.workspace_id = asked.workspace_id and p.id = asked.id offset 0) details`,
);
