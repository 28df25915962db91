import { picturesOfProduct } from '../media/queries.js';
import { type NumberedRow, RecordReads } from '../platform/db/record-reads.js';
import type { Queryable } from '../platform/db/share.js';
import { fixed, raw, sql } from '../platform/db/sql.js';
import type { Item } from './item.js';

interface ItemRow extends Item, NumberedRow {
  /** Shown if the product has no images. */
  urlImage: string | null;
}

type ItemVersion = Pick<ItemRow, 'n' | 'version' | 'name'>;

/** Reads products for their pages. */
export class ItemReads {
  private readonly items: RecordReads<ItemRow>;
  private readonly versions: RecordReads<ItemVersion>;

  constructor(db: Queryable, mediaUrl: string) {
    this.items = new RecordReads(db, (workspaceIds, ids) => itemsById(workspaceIds, ids, mediaUrl));
    this.versions = new RecordReads(db, versionsById);
  }

  async find(workspaceId: string, id: string): Promise<Item | undefined> {
    const item = await this.items.find(workspaceId, id);
    const isOnlyUrl = item && item.pictures.length === 0 && item.urlImage !== null;
    return isOnlyUrl ? { ...item, pictures: [{ url: item.urlImage as string, option: null }] } : item;
  }

  /** Returns the version and the name of a product, or undefined if it does not exist. */
  findVersion(workspaceId: string, id: string): Promise<Pick<Item, 'version' | 'name'> | undefined> {
    return this.versions.find(workspaceId, id);
  }
}

/** Every change to a product, its variations or images updates the row of the product, which changes its xmin. */
const VERSION = raw(`p.xmin || ' ' || p.updated_at`);

const itemsById = fixed(
  (workspaceIds: string, ids: string, mediaUrl: string) => sql`
    select asked.n, p.id, p.name, p.description, p.price, p.price_discount as "priceDiscount", p.quantity as stock,
      p.category_id as "categoryId", p.url_image as "urlImage", p.variation_types as types,
      ${picturesOfProduct(mediaUrl)} as pictures, ${VERSION} as version,
      case when p.has_variants then (
        select json_agg(json_build_object('id', v.id, 'combination', v.combination, 'options', v.options, 'price', v.price,
          'quantity', v.quantity) order by v.position)
        from variations v where v.workspace_id = p.workspace_id and v.product_id = p.id) else '[]' end as variations
    from unnest((select ${workspaceIds}::uuid[]), (select ${ids}::uuid[])) with ordinality as asked(workspace_id, id, n)
    join products p on p.workspace_id = asked.workspace_id and p.id = asked.id`,
);

const versionsById = fixed(
  (workspaceIds: string, ids: string) => sql`
    select asked.n, ${VERSION} as version, p.name
    from unnest((select ${workspaceIds}::uuid[]), (select ${ids}::uuid[])) with ordinality as asked(workspace_id, id, n)
    join products p on p.workspace_id = asked.workspace_id and p.id = asked.id`,
);
