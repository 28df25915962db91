import { randomBytes } from 'node:crypto';
import type { Queryable, Share, Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { notFound } from '../platform/http/errors.js';
import { isId } from '../platform/schema/ids.js';
import { EXTENSIONS, type ImageType } from './image-types.js';
import { UPLOAD_SECONDS } from './storage.js';

export interface Upload {
  key: string;
  productId: string;
  contentType: ImageType;
  contentLength: number;
}

/** Records the upload. Only a recorded key of this store and product can be attached. */
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
  if (made.length === 0) throw notFound('Product', productId);
  return { key, productId, contentType, contentLength };
}

export interface FoundUpload extends Upload {
  attached: boolean;
  /** Whether the image was attached and has been removed since. */
  removed: boolean;
}

export async function findUpload(
  db: Queryable,
  workspaceId: string,
  productId: string,
  key: string,
): Promise<FoundUpload | undefined> {
  const [upload] = await db.query<FoundUpload>(sql`
    select u.key, u.product_id as "productId", u.content_type as "contentType", u.content_length as "contentLength",
      u.attached_at is not null as attached,
      u.attached_at is not null and not exists (
        select 1 from product_images i
        where i.workspace_id = u.workspace_id and i.product_id = u.product_id and i.key = u.key) as removed
    from uploads u where u.workspace_id = ${workspaceId} and u.key = ${key} and u.product_id = ${productId}`);
  return upload;
}

/**
 * Publishing takes much less time than this. A claim outlives its request only if the process dies or the transaction
 * fails unexpectedly. The key then cannot be attached until the claim expires.
 */
const CLAIM_SECONDS = 300;

/**
 * Claims an upload, because only the holder of the claim may publish it. Without the claim, two requests could attach
 * the same key, and if a PUT arrived between them, the second would replace the file that the first has recorded.
 */
export async function claimUpload(
  db: Share,
  workspaceId: string,
  key: string,
  claim: string,
): Promise<boolean> {
  const claimed = await db.autocommit.query(sql`
    update uploads set claim = ${claim}, claimed_until = now() + ${CLAIM_SECONDS} * interval '1 second'
    where workspace_id = ${workspaceId} and key = ${key} and attached_at is null
      and (claimed_until is null or claimed_until < now())
    returning 1`);
  return claimed.length > 0;
}

export async function releaseUpload(
  db: Share,
  workspaceId: string,
  key: string,
  claim: string,
): Promise<void> {
  await db.autocommit.query(sql`
    update uploads set claim = null, claimed_until = null
    where workspace_id = ${workspaceId} and key = ${key} and claim = ${claim} and attached_at is null`);
}

/**
 * Marks the upload as attached. Returns false if the claim was lost. The staged bytes are removed only after their
 * upload URL has expired, because until then a PUT could create them again.
 */
export async function markAttached(
  tx: Tx,
  workspaceId: string,
  key: string,
  claim: string,
): Promise<boolean> {
  const attached = await tx.query(sql`
    with attached as (
      update uploads set attached_at = now(), claim = null, claimed_until = null
      where workspace_id = ${workspaceId} and key = ${key} and claim = ${claim} and attached_at is null
      returning created_at
    )
    insert into files_to_delete (workspace_id, key, staged, remove_at)
    select ${workspaceId}::uuid, ${key}, true, created_at + ${2 * UPLOAD_SECONDS} * interval '1 second' from attached
    returning 1`);
  return attached.length > 0;
}
