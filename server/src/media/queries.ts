import type { Queryable } from '../platform/db/share.js';
import { type Statement, sql } from '../platform/db/sql.js';
import { isId } from '../platform/schema/ids.js';
import type { ImageRecord } from './image-record.js';

type ImageRow = Omit<ImageRecord, 'option'> & { option: string | null };

/**
 * The columns of a product_images row with the alias `i`. The URL of an uploaded file is made from its key; any other
 * URL is returned as stored.
 */
function imageColumns(mediaUrl: string): Statement {
  return sql`i.id, i.product_id as "productId", coalesce(i.url, ${mediaUrl}::text || '/' || i.key) as url, i.key,
    i.position as order, i.content_type as "contentType", i.size, i.width, i.height, i.created_at as "createdAt", i.option`;
}

/** Returns undefined if the product does not exist. */
export async function listImages(
  db: Queryable,
  workspaceId: string,
  productId: string,
  mediaUrl: string,
): Promise<ImageRecord[] | undefined> {
  if (!isId(productId)) return undefined;
  const rows = await db.query<ImageRow>(sql`
    select ${imageColumns(mediaUrl)} from products p
    left join product_images i on i.workspace_id = p.workspace_id and i.product_id = p.id
    where p.workspace_id = ${workspaceId} and p.id = ${productId} order by i.position`);
  return rows.length === 0 ? undefined : rows.filter((row) => row.id !== null).map(withoutEmptyOption);
}

export async function findImage(
  db: Queryable,
  workspaceId: string,
  productId: string,
  imageId: string,
  mediaUrl: string,
): Promise<ImageRecord> {
  const [image] = await db.query<ImageRow>(sql`
    select ${imageColumns(mediaUrl)} from product_images i
    where i.workspace_id = ${workspaceId} and i.product_id = ${productId} and i.id = ${imageId}`);
  return withoutEmptyOption(image!);
}

function withoutEmptyOption({ option, ...image }: ImageRow): ImageRecord {
  return option === null ? image : { ...image, option };
}

/**
 * The images of the product `p` of the surrounding query, sorted by position, as JSON objects separated by commas, or
 * null if there are none. The caller adds the brackets of the array.
 */
export function imagesOfProduct(mediaUrl: string): Statement {
  return sql`(
    select string_agg(i.document || ',"url":' || coalesce(to_json(i.url)::text, '"' || ${mediaUrl} || '/' || i.key || '"')
      || coalesce(',"option":' || to_json(i.option)::text, '') || '}', ',' order by i.position)
    from product_images i where i.workspace_id = p.workspace_id and i.product_id = p.id)`;
}

/**
 * The images of the product `p` of the surrounding query, the cover first, as a JSON array in which each image is an
 * array of its url and option. Null if there are none.
 */
export function picturesOfProduct(mediaUrl: string): Statement {
  return sql`(
    select json_agg(array[coalesce(i.url, ${mediaUrl}::text || '/' || i.key), i.option] order by i.position)
    from product_images i where i.workspace_id = p.workspace_id and i.product_id = p.id)`;
}

/**
 * The URL of the cover of the product `p` of the surrounding query. If the product has no images, this is the
 * urlImage of the product, which may be null.
 */
export function coverOfProduct(mediaUrl: string): Statement {
  return sql`coalesce((
    select coalesce(i.url, ${mediaUrl}::text || '/' || i.key) from product_images i
    where i.workspace_id = p.workspace_id and i.product_id = p.id order by i.position limit 1), p.url_image)`;
}

/**
 * The URL of the first image of the product `p` that shows an option of its variation `v`. If none does, or if `v` is
 * null, it is the URL of the cover, as in coverOfProduct.
 */
export function pictureOfVariation(mediaUrl: string): Statement {
  return sql`coalesce((
    select coalesce(i.url, ${mediaUrl}::text || '/' || i.key) from product_images i
    where i.workspace_id = p.workspace_id and i.product_id = p.id
    order by coalesce(i.option = any(v.options), false) desc, i.position limit 1), p.url_image)`;
}
