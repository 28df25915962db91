import type { SnapshotRecords } from '../events/snapshots.js';
import { fixed, raw, rawJson, sql } from '../platform/db/sql.js';
import { FIRST_ID } from '../platform/schema/ids.js';
import { PRODUCT_PARTS, productJsonWith } from './product-json.js';
import { storeVariationJson } from './records.js';

/**
 * Limits the memory for a batch of products: the record that brings the batch to this size is its last. A single
 * product with 1,000 variations can be larger than this.
 */
const BATCH_BYTES = 1_048_576;

export function productRecords(
  mediaUrl: string,
): SnapshotRecords<{ id: string; json: Buffer | string | null }> {
  return {
    start: [FIRST_ID],
    next: (workspaceId, [id]) => nextProducts(workspaceId, id!, mediaUrl),
    keyOf: ({ id }) => [id],
    lineOf: ({ json }) => json,
  };
}

interface VariationRow {
  product_id: string;
  id: string;
  json: Buffer | string;
}

export const variationRecords: SnapshotRecords<VariationRow> = {
  start: [FIRST_ID, FIRST_ID],
  next: (workspaceId, [productId, id]) => nextVariations(workspaceId, productId!, id!),
  keyOf: ({ product_id, id }) => [product_id, id],
  lineOf: ({ json }) => json,
};

const before = raw('sum(octet_length(json)) over (rows unbounded preceding) - octet_length(json)');
const fitting = sql`case when ${before} < ${raw(String(BATCH_BYTES))} then json end`;

const nextProducts = fixed(
  (workspaceId: string, after: string, mediaUrl: string) => sql`
    select id, ${rawJson(fitting, 'json')} from (
      select p.id, ${productJsonWith(PRODUCT_PARTS, mediaUrl)} as json from products p
      where p.workspace_id = ${workspaceId} and p.id > ${after}::uuid order by p.id limit 100
    ) record`,
);

const nextVariations = fixed(
  (workspaceId: string, productId: string, after: string) => sql`
    select v.product_id, v.id, ${rawJson(storeVariationJson, 'json')} from variations v
    where v.workspace_id = ${workspaceId} and (v.product_id, v.id) > (${productId}::uuid, ${after}::uuid)
    order by v.product_id, v.id limit 500`,
);
