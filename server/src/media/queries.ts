import { raw, type Statement, sql } from '../platform/sql.js';

/**
 * The images of the product that stands as `p` in the surrounding query, as a JSON array in their order. A file of ours
 * is named by its key; an image by URL is given as it was stored.
 */
export function imagesOfProduct(mediaUrl: string): Statement {
  return sql`
    coalesce((
      select json_agg(json_build_object(
        'id', i.id, 'productId', i.product_id, 'url', coalesce(i.url, ${mediaUrl}::text || '/' || i.key), 'key', i.key,
        'order', i.position, 'contentType', i.content_type, 'size', i.size, 'width', i.width, 'height', i.height,
        'createdAt', ${RFC_3339}) order by i.position)
      from product_images i where i.workspace_id = p.workspace_id and i.product_id = p.id), '[]')`;
}

const RFC_3339 = raw(`to_char(i.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
