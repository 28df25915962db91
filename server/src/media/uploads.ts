import { randomBytes } from 'node:crypto';
import type { Tx } from '../platform/db.js';
import { type ApiError, notFound } from '../platform/errors.js';
import { isId } from '../platform/ids.js';
import { sql } from '../platform/sql.js';
import { EXTENSIONS, type ImageType } from './image-types.js';
import { UPLOAD_SECONDS } from './storage.js';

export interface Upload {
  key: string;
  productId: string;
  contentType: ImageType;
  contentLength: number;
}

/** Remembers what was asked for: only a key that stands here, for this store and product, can be attached. */
export async function createUpload(
  tx: Tx,
  workspaceId: string,
  asked: { productId: string; contentType: ImageType; contentLength: number },
): Promise<Upload> {
  const { productId, contentType, contentLength } = asked;
  const key = `product_images/${productId}/${randomBytes(16).toString('base64url')}.${EXTENSIONS[contentType]}`;
  const made = isId(productId)
    ? await tx.query(sql`
        insert into uploads (workspace_id, key, product_id, content_type, content_length)
        select ${workspaceId}::uuid, ${key}, id, ${contentType}, ${contentLength}::integer
        from products where workspace_id = ${workspaceId} and id = ${productId} returning 1`)
    : [];
  if (made.length === 0) throw productNotFound(productId);
  return { key, productId, contentType, contentLength };
}

/** Locked until the attachment commits or fails: of several that attach one key, each judges and publishes alone. */
export async function lockUpload(
  tx: Tx,
  workspaceId: string,
  productId: string,
  key: string,
): Promise<(Upload & { attached: boolean }) | undefined> {
  const [upload] = await tx.query<Upload & { attached: boolean }>(sql`
    select key, product_id as "productId", content_type as "contentType", content_length as "contentLength",
      attached_at is not null as attached
    from uploads where workspace_id = ${workspaceId} and key = ${key} and product_id = ${productId} for update`);
  return upload;
}

/** The staged bytes stay until nobody can put others there any more: a removal before that could be undone by a PUT. */
export async function markAttached(tx: Tx, workspaceId: string, key: string): Promise<void> {
  await tx.query(sql`
    with attached as (
      update uploads set attached_at = now() where workspace_id = ${workspaceId} and key = ${key} returning created_at
    )
    insert into doomed_files (workspace_id, key, staged, remove_at)
    select ${workspaceId}::uuid, ${key}, true, created_at + ${2 * UPLOAD_SECONDS} * interval '1 second' from attached`);
}

export function productNotFound(id: string): ApiError {
  return notFound(`Product ${id.slice(0, 64)}`);
}
