import { storeVersion } from '../events/store-version.js';
import { Batcher } from '../platform/concurrency/batcher.js';
import type { Queryable } from '../platform/db/share.js';
import { fixed, raw, type Statement, sql } from '../platform/db/sql.js';
import { isSlug, type Shop, shopColumns } from '../stores/queries.js';

export interface VisitedShop extends Shop {
  /**
   * A value that is different after every event of the store (storeVersion). Null while it is unknown, and on all pages
   * but the product list.
   */
  version: string | null;
}

/**
 * Reads the shop, which every page needs, and its version, which only the product list needs, because it counts the
 * events that are not numbered yet. Requests that arrive at the same time share a statement, which reads each of their
 * shops once. Without this, a third of PostgreSQL's time for a product page was spent on the shop.
 */
export class VisitedShops {
  private readonly reads = this.reader(shopsBySlug);
  private readonly versionReads = this.reader(versionedShopsBySlug);

  constructor(private readonly db: Queryable) {}

  find(slug: string, { withVersion }: { withVersion: boolean }): Promise<VisitedShop | undefined> {
    if (!isSlug(slug)) return Promise.resolve(undefined);
    return (withVersion ? this.versionReads : this.reads).submit(slug);
  }

  private reader(statement: (slugs: string[]) => Statement): Batcher<string, VisitedShop | undefined> {
    return new Batcher(2, 32, (slugs) => this.findAll(slugs, statement));
  }

  private async findAll(
    slugs: string[],
    statement: (slugs: string[]) => Statement,
  ): Promise<(VisitedShop | undefined)[]> {
    const shops = await this.db.query<VisitedShop>(statement([...new Set(slugs)]));
    const found = new Map(shops.map((shop) => [shop.slug, shop]));
    return slugs.map((slug) => found.get(slug));
  }
}

const shopsBySlug = shopReader(sql`null`);
const versionedShopsBySlug = shopReader(storeVersion(raw('workspaces.id')));

function shopReader(version: Statement) {
  return fixed(
    (slugs: string[]) => sql`
      select ${shopColumns}, (${version}) as version
      from unnest((select ${slugs}::text[])) as visited join workspaces on workspaces.slug = visited`,
  );
}
