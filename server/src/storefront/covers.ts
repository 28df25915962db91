import { pictureOfVariation } from '../media/queries.js';
import type { Queryable } from '../platform/db/share.js';
import { fixed, sql } from '../platform/db/sql.js';
import { lineName } from './cart.js';

type Chosen = { productId: string; variantId: string | null };

/**
 * Returns a picture for each line of a cart or order, keyed by lineName(). It is the first picture that shows an option
 * of the variation, such as its color, otherwise the cover. Lines whose product has no picture or no longer exists are
 * left out.
 */
export async function coversOf(
  db: Queryable,
  workspaceId: string,
  lines: Chosen[],
  mediaUrl: string,
): Promise<Map<string, string>> {
  const chosen = JSON.stringify(lines.map(({ productId, variantId }) => ({ productId, variantId })));
  const rows = await db.query<Chosen & { cover: string | null }>(covers(workspaceId, chosen, mediaUrl));
  return new Map(rows.flatMap((row) => (row.cover === null ? [] : [[lineName(row), row.cover]])));
}

const covers = fixed(
  (workspaceId: string, chosen: string, mediaUrl: string) => sql`
    select p.id as "productId", line."variantId", ${pictureOfVariation(mediaUrl)} as cover
    from (select distinct * from jsonb_to_recordset(${chosen}::jsonb) as l("productId" uuid, "variantId" uuid)) line
    join products p on p.workspace_id = ${workspaceId} and p.id = line."productId"
    left join variations v on v.workspace_id = p.workspace_id and v.product_id = p.id and v.id = line."variantId"`,
);
