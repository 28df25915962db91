import { RecordReads, selectRecords, selectVersions } from '../platform/db/record-reads.js';
import type { Queryable } from '../platform/db/share.js';
import { fixed } from '../platform/db/sql.js';
import type { ResponseMemory } from '../platform/http/response-memory.js';
import { orderJson } from './records.js';

/** Returns the reads of orders. Every change to an invoice or a refund also updates the row of its order. */
export function orderReads(db: Queryable, memory: ResponseMemory): RecordReads {
  return new RecordReads(db, memory, { records, versions });
}

const TABLE = { name: 'orders', alias: 'o' };

const records = fixed((workspaceIds: string, ids: string) =>
  selectRecords(TABLE, orderJson, workspaceIds, ids),
);

const versions = fixed((workspaceIds: string, ids: string) => selectVersions(TABLE, workspaceIds, ids));
