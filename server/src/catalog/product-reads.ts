import { RecordReads, selectRecords, selectVersions } from '../platform/db/record-reads.js';
import type { Queryable } from '../platform/db/share.js';
import { fixed } from '../platform/db/sql.js';
import type { ResponseMemory } from '../platform/http/response-memory.js';
import { PRODUCT_PARTS, productJsonWith } from './product-json.js';

/**
 * Returns the reads of products with their images and variations. Every change to an image or a variation also updates
 * the row of its product.
 */
export function productReads(db: Queryable, memory: ResponseMemory, mediaUrl: string): RecordReads {
  return new RecordReads(db, memory, {
    records: (workspaceIds, ids) => details(workspaceIds, ids, mediaUrl),
    versions,
  });
}

const TABLE = { name: 'products', alias: 'p' };

const details = fixed((workspaceIds: string, ids: string, mediaUrl: string) =>
  selectRecords(TABLE, productJsonWith(PRODUCT_PARTS, mediaUrl), workspaceIds, ids),
);

const versions = fixed((workspaceIds: string, ids: string) => selectVersions(TABLE, workspaceIds, ids));
