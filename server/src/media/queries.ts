import type { Queryable } from '../platform/db/share.js';
import { type Statement, sql } from '../platform/db/sql.js';
import { isId } from '../platform/schema/ids.js';
import type { ImageRecord } from './image-record.js';

type ImageRow = Omit<ImageRecord, 'option'> & { option: string | null };

/**
 * The columns of a product_images row with the alias `i`. An uploaded file is identified by its key; a URL is
 * returned as stored.
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
 * The images of the product `p` of the surrounding query as a JSON array, in their order, or null if there are none.
 */
export function imagesOfProduct(mediaUrl: string): Statement {
  return sql`(
    select string_agg(i.document || ',"url":' || coalesce(to_json(i.url)::text, '"' || ${mediaUrl} || '/' || i.key || '"')
      || coalesce(',"option":' || to_json(i.option)::text, '') || '}', ',' order by i.position)
    from product_images i where i.workspace_id = p.workspace_id and i.product_id = p.id)`;
}

/** The images of the product `p` of the surrounding query, as the shop shows them, the cover first. */
export function picturesOfProduct(mediaUrl: string): Statement {
  return sql`coalesce((
    select json_agg(json_build_object('url', coalesce(i.url, ${mediaUrl}::text || '/' || i.key), 'option', i.option)
      order by i.position)
    from product_images i where i.workspace_id = p.workspace_id and i.product_id = p.id), '[]')`;
}

/** The cover image of the product `p` of the surrounding query, or its urlImage, or null. */
export function coverOfProduct(mediaUrl: string): Statement {
  return sql`coalesce((
    select coalesce(i.url, ${mediaUrl}::text || '/' || i.key) from product_images i
    where i.workspace_id = p.workspace_id and i.product_id = p.id order by i.position limit 1), p.url_image)`;
}

/**
 * The first image that shows an option of the variation `v` (which may be null) of the product `p`, otherwise the
 * cover.
 */
export function pictureOfVariation(mediaUrl: string): Statement {
  return sql`coalesce((
    select coalesce(i.url, ${mediaUrl}::text || '/' || i.key) from product_images i
    where i.workspace_id = p.workspace_id and i.product_id = p.id
    order by coalesce(i.option = any(v.options), false) desc, i.position limit 1), p.url_image)`;
}
