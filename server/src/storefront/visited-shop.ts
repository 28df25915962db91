import { storeVersion } from '../events/store-version.js';
import type { Queryable } from '../platform/db/share.js';
import { fixed, raw, sql } from '../platform/db/sql.js';
import { isSlug, type Shop, shopColumns } from '../stores/queries.js';

export interface VisitedShop extends Shop {
  /** A value that is different after every event of the store (storeVersion). Null while it is unknown. */
  version: string | null;
}

/** Reads the shop, which every page needs, and its version, which the product list needs, in one statement. */
export async function findVisitedShop(db: Queryable, slug: string): Promise<VisitedShop | undefined> {
  const [shop] = isSlug(slug) ? await db.query<VisitedShop>(shopBySlug(slug)) : [];
  return shop;
}

const shopBySlug = fixed(
  (slug: string) => sql`
    select ${shopColumns}, (${storeVersion(raw('workspaces.id'))}) as version from workspaces where slug = ${slug}`,
);
