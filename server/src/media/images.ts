import type { Origin } from '../events/names.js';
import { emit } from '../events/outbox.js';
import { productUpdated } from '../events/product-events.js';
import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { type ApiError, invalid, notFound } from '../platform/http/errors.js';
import { isId, newId } from '../platform/schema/ids.js';
import { MAX_IMAGES } from './image-types.js';

export interface NewImageRow {
  key: string | null;
  url: string | null;
  contentType: string | null;
  size: number | null;
  width: number | null;
  height: number | null;
  option: string | null;
}

/** Inserts an image at a position, or at the end. The positions of a product's images are always 0 … n−1. */
export async function addImage(
  tx: Tx,
  workspaceId: string,
  origin: Origin,
  productId: string,
  image: NewImageRow,
  order: number | undefined,
): Promise<string> {
  const count = await lockImages(tx, workspaceId, productId);
  if (count >= MAX_IMAGES) throw tooManyImages(image.key === null ? 'url' : 'key');
  const position = Math.min(order ?? count, count);
  const id = newId();
  await shift(tx, workspaceId, productId, { from: position, by: 1 });
  await tx.query(sql`
    insert into product_images (workspace_id, product_id, id, position, key, url, content_type, size, width, height,
      option)
    values (${workspaceId}, ${productId}, ${id}, ${position}, ${image.key}, ${image.url}, ${image.contentType},
            ${image.size}, ${image.width}, ${image.height}, ${image.option})`);
  await emitImages(tx, workspaceId, origin, productId);
  return id;
}

export async function moveImage(
  tx: Tx,
  workspaceId: string,
  origin: Origin,
  productId: string,
  imageId: string,
  order: number,
): Promise<void> {
  const count = await lockImages(tx, workspaceId, productId);
  const from = await positionOf(tx, workspaceId, productId, imageId);
  const to = Math.min(order, count - 1);
  if (from === to) return;
  // This must be one statement, because positions have to be unique at the end of each statement.
  await tx.query(sql`
    update product_images set position = case
      when id = ${imageId} then ${to}::integer
      when ${from}::integer < ${to}::integer then position - 1
      else position + 1 end
    where workspace_id = ${workspaceId} and product_id = ${productId}
      and position between least(${from}::integer, ${to}::integer) and greatest(${from}::integer, ${to}::integer)`);
  await emitImages(tx, workspaceId, origin, productId);
}

/** Sets the variation option, such as a color, that an image shows, or clears it if `option` is null. */
export async function setImageOption(
  tx: Tx,
  workspaceId: string,
  origin: Origin,
  productId: string,
  imageId: string,
  option: string | null,
): Promise<void> {
  await lockImages(tx, workspaceId, productId);
  await positionOf(tx, workspaceId, productId, imageId);
  const changed = await tx.query(sql`
    update product_images set option = ${option}
    where workspace_id = ${workspaceId} and product_id = ${productId} and id = ${imageId}
      and option is distinct from ${option} returning 1`);
  if (changed.length > 0) await emitImages(tx, workspaceId, origin, productId);
}

/** Removes an image. An uploaded file is queued for deletion in the same transaction and deleted after the commit. */
export async function removeImage(
  tx: Tx,
  workspaceId: string,
  origin: Origin,
  productId: string,
  imageId: string,
): Promise<void> {
  await lockImages(tx, workspaceId, productId);
  const position = await positionOf(tx, workspaceId, productId, imageId);
  await tx.query(sql`
    with gone as (
      delete from product_images where workspace_id = ${workspaceId} and product_id = ${productId} and id = ${imageId} returning key
    )
    insert into files_to_delete (workspace_id, key) select ${workspaceId}::uuid, key from gone where key is not null`);
  await shift(tx, workspaceId, productId, { from: position, by: -1 });
  await emitImages(tx, workspaceId, origin, productId);
}

export function tooManyImages(field: 'key' | 'url'): ApiError {
  const message = `cannot be attached: the product has ${MAX_IMAGES} images, which is the maximum. Remove one first`;
  return invalid([{ field, message }]);
}

/**
 * Locks the row of the product. Every change to its images does this first, so that such changes run one after the
 * other. Returns the number of images.
 */
async function lockImages(tx: Tx, workspaceId: string, productId: string): Promise<number> {
  const found = isId(productId)
    ? await tx.query(
        sql`select 1 from products where workspace_id = ${workspaceId} and id = ${productId} for update`,
      )
    : [];
  if (found.length === 0) throw notFound('Product', productId);
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) as count from product_images where workspace_id = ${workspaceId} and product_id = ${productId}`);
  return row!.count;
}

async function positionOf(tx: Tx, workspaceId: string, productId: string, imageId: string): Promise<number> {
  const [image] = isId(imageId)
    ? await tx.query<{ position: number }>(sql`
        select position from product_images
        where workspace_id = ${workspaceId} and product_id = ${productId} and id = ${imageId}`)
    : [];
  if (!image) throw notFound('Image', imageId);
  return image.position;
}

async function shift(
  tx: Tx,
  workspaceId: string,
  productId: string,
  { from, by }: { from: number; by: 1 | -1 },
): Promise<void> {
  await tx.query(sql`
    update product_images set position = position + ${by}::integer
    where workspace_id = ${workspaceId} and product_id = ${productId} and position >= ${from}`);
}

async function emitImages(tx: Tx, workspaceId: string, origin: Origin, productId: string): Promise<void> {
  await tx.query(
    sql`update products set updated_at = now() where workspace_id = ${workspaceId} and id = ${productId}`,
  );
  await emit(tx, workspaceId, origin, [productUpdated(productId, ['images'])]);
}
