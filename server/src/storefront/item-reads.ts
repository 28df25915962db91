import { picturesOfProduct } from '../media/queries.js';
import { StoreBatcher } from '../platform/concurrency/store-batcher.js';
import type { Database } from '../platform/db/database.js';
import { arrayOf, fixed, raw, sql } from '../platform/db/sql.js';
import { isId } from '../platform/schema/ids.js';
import type { Item } from './item.js';

const MAX_BATCH = 12;

interface ItemRow extends Omit<Item, 'pictures' | 'variations'> {
  /** Shown if the product has no images. */
  urlImage: string | null;
  pictures: [url: string, option: string | null][] | null;
  variations:
    | [id: string, combination: string, price: string, quantity: string, ...options: string[]][]
    | null;
}

type ItemVersion = Pick<Item, 'id' | 'version' | 'name'>;

/**
 * Reads products for their pages. Products of one shop whose pages are requested at the same time share a statement. The
 * statements of a shop use its share of the connections, because the number of anonymous visitors is not limited.
 */
export class ItemReads {
  private readonly items = new StoreBatcher(MAX_BATCH, async (workspaceId, ids: string[]) => {
    const rows = await this.db
      .store(workspaceId)
      .query<ItemRow>(itemsById(workspaceId, arrayOf(ids), this.mediaUrl));
    return inOrderOf(ids, rows.map(itemOf));
  });
  private readonly versions = new StoreBatcher(MAX_BATCH, async (workspaceId, ids: string[]) =>
    inOrderOf(
      ids,
      await this.db.store(workspaceId).query<ItemVersion>(versionsById(workspaceId, arrayOf(ids))),
    ),
  );

  constructor(
    private readonly db: Database,
    private readonly mediaUrl: string,
  ) {}

  async find(workspaceId: string, id: string): Promise<Item | undefined> {
    return isId(id) ? this.items.submit(workspaceId, id) : undefined;
  }

  /** Returns the version and the name of a product, or undefined if it does not exist. */
  async findVersion(workspaceId: string, id: string): Promise<ItemVersion | undefined> {
    return isId(id) ? this.versions.submit(workspaceId, id) : undefined;
  }
}

function inOrderOf<Row extends { id: string }>(ids: string[], rows: Row[]): (Row | undefined)[] {
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => found.get(id));
}

function itemOf({ urlImage, pictures, variations, ...item }: ItemRow): Item {
  const shown = pictures ?? (urlImage === null ? [] : [[urlImage, null] as const]);
  return {
    ...item,
    pictures: shown.map(([url, option]) => ({ url, option })),
    variations: (variations ?? []).map(([id, combination, price, quantity, ...options]) => ({
      id,
      combination,
      options,
      price: Number(price),
      quantity: Number(quantity),
    })),
  };
}

/** Every change to a product, its variations or images updates the row of the product, which changes its xmin. */
const VERSION = raw(`p.xmin || ' ' || p.updated_at`);

// The arrays are in sub-selects to hide their length from the planner. Otherwise it would plan every execution again, to
// suit the length.

// Images and variations are arrays of texts instead of JSON objects, with which a product took PostgreSQL a third longer.
const itemsById = fixed(
  (workspaceId: string, ids: string, mediaUrl: string) => sql`
    select p.id, p.name, p.description, p.price, p.price_discount as "priceDiscount", p.quantity as stock,
      p.category_id as "categoryId", p.url_image as "urlImage", p.variation_types as types,
      ${picturesOfProduct(mediaUrl)} as pictures, ${VERSION} as version,
      case when p.has_variants then (
        select json_agg(array[v.id::text, v.combination, v.price::text, v.quantity::text] || v.options order by v.position)
        from variations v where v.workspace_id = p.workspace_id and v.product_id = p.id) end as variations
    from products p where p.workspace_id = ${workspaceId} and p.id = any((select ${ids}::uuid[])::uuid[])`,
);

const versionsById = fixed(
  (workspaceId: string, ids: string) => sql`
    select p.id, ${VERSION} as version, p.name
    from products p where p.workspace_id = ${workspaceId} and p.id = any((select ${ids}::uuid[])::uuid[])`,
);
