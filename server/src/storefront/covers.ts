import { coverOfProduct } from '../media/queries.js';
import type { Queryable } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';

/** The covers of products by id. Products without a picture, or that no longer exist, are left out. */
export async function coversOf(
  db: Queryable,
  workspaceId: string,
  ids: string[],
  mediaUrl: string,
): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; cover: string | null }>(sql`
    select p.id, ${coverOfProduct(mediaUrl)} as cover
    from products p where p.workspace_id = ${workspaceId} and p.id = any(${[...new Set(ids)]}::uuid[])`);
  return new Map(rows.flatMap(({ id, cover }) => (cover === null ? [] : [[id, cover]])));
}
