import type { Queryable } from '../platform/db/share.js';
import { joined, type Statement, sql } from '../platform/db/sql.js';
import { listBody } from '../platform/http/send-json.js';
import type { ListMemory } from '../platform/lists/list-memory.js';
import { byTime, metaOf, type PageRequest, type SortKey } from '../platform/lists/paging.js';
import { plainPage } from '../platform/lists/plain-page.js';
import { isoOf } from '../platform/schema/times.js';
import { storeVariationJson } from './records.js';

export interface VariationFilters {
  sku?: string;
  ean?: string;
  updatedFrom?: string;
  updatedTo?: string;
}

export const variationSorts: Record<string, SortKey> = { updatedAt: byTime('updated_at') };

/** Lists variations of a store, whichever product they belong to. Returns the response as JSON text. */
export async function listStoreVariations(
  db: Queryable,
  memory: ListMemory,
  workspaceId: string,
  request: PageRequest<VariationFilters>,
): Promise<Buffer> {
  const page = await plainPage(db, request, {
    workspaceId,
    from: variationsWithSortValues,
    alias: 'v',
    where: matching(workspaceId, request.filters),
    json: storeVariationJson,
    sorts: variationSorts,
    plannedOnce: true,
    kept: { list: 'variations', memory, stableSorts: [] },
  });
  return listBody(page.json, metaOf(request, page));
}

/**
 * The columns of variations that the list needs, with the time from the table that has an index on it. Every row has a
 * variation, so the outer join is equal to an inner one. PostgreSQL skips it when it counts variations.
 */
const variationsWithSortValues = sql`(
  select s.workspace_id, s.product_id, s.id, s.updated_at, v.sku, v.ean, v.quantity, v.document, v.document_end
  from variation_sort_values s left join variations v on v.workspace_id = s.workspace_id
    and v.product_id = s.product_id and v.id = s.id and v.updated_at = s.updated_at
) v`;

function matching(workspaceId: string, filters: VariationFilters): Statement {
  const conditions = [sql`v.workspace_id = ${workspaceId}`];
  if (filters.sku !== undefined) conditions.push(sql`v.sku = ${filters.sku}`);
  if (filters.ean !== undefined) conditions.push(sql`v.ean = ${filters.ean}`);
  if (filters.updatedFrom !== undefined)
    conditions.push(sql`v.updated_at >= ${isoOf(filters.updatedFrom)}::timestamptz`);
  if (filters.updatedTo !== undefined)
    conditions.push(sql`v.updated_at <= ${isoOf(filters.updatedTo)}::timestamptz`);
  return joined(conditions, ' and ');
}
