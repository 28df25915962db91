import { type NumberedRow, RecordReads } from '../platform/db/record-reads.js';
import type { Queryable } from '../platform/db/share.js';
import { fixed, rawJson, sql } from '../platform/db/sql.js';
import { orderJson } from './records.js';

interface OrderDetail extends NumberedRow {
  json: string | Buffer;
}

/** Returns the reads of orders as JSON text. */
export function orderReads(db: Queryable): RecordReads<OrderDetail> {
  return new RecordReads(db, ordersById);
}

const ordersById = fixed(
  (workspaceIds: string, ids: string) => sql`
    select asked.n, ${rawJson(orderJson, 'json')}
    from unnest((select ${workspaceIds}::uuid[]), (select ${ids}::uuid[])) with ordinality as asked(workspace_id, id, n)
    join orders o on o.workspace_id = asked.workspace_id and o.id = asked.id`,
);
