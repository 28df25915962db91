import type { Origin } from '../events/names.js';
import type { Share, Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { ApiError, conflict, type FaultDetail, invalid, notFound } from '../platform/http/errors.js';
import { isId, newId } from '../platform/schema/ids.js';
import { MAX_IMAGES } from './image-types.js';
import { addImage, type NewImageRow, tooManyImages } from './images.js';
import { type NewImage, storedOption } from './schema.js';
import type { Storage } from './storage.js';
import {
  claimUpload,
  type FoundUpload,
  findUpload,
  markAttached,
  releaseUpload,
  type Upload,
} from './uploads.js';
import { takeTurn } from './verification-turns.js';
import { verifyImage } from './verify.js';

/** An image that is ready to be recorded. Its file, if it has one, has been verified and published. */
export interface PreparedImage {
  row: NewImageRow;
  order: number | undefined;
  /** Identifies the claim on the upload. Undefined for an image given by its URL. */
  claim: string | undefined;
}

/**
 * The slow part of attaching an image: reads, verifies and publishes the uploaded bytes. Meanwhile it holds no
 * transaction and no database connection, so slow storage or a large file does not delay database work.
 */
export async function prepareImage(
  db: Share,
  storage: Storage,
  workspaceId: string,
  productId: string,
  body: NewImage,
): Promise<PreparedImage> {
  const { key, order } = body;
  const option = body.option === undefined ? null : storedOption(body.option);
  const [product] = isId(productId)
    ? await db.query<{ images: number }>(sql`
        select (select count(*)::integer from product_images i
                where i.workspace_id = p.workspace_id and i.product_id = p.id) as images
        from products p where p.workspace_id = ${workspaceId} and p.id = ${productId}`)
    : [];
  if (!product) throw notFound('Product', productId);
  if (key === undefined)
    return { row: { ...imageByUrl(body.url as string), option }, order, claim: undefined };
  const upload = await findUpload(db, workspaceId, productId, key);
  refuseUnusable(upload);
  // The limit is checked again when the image is recorded. This check only avoids unnecessary work.
  if (product.images >= MAX_IMAGES) throw tooManyImages('key');
  return takeTurn(workspaceId, async () => {
    const { bytes, width, height } = await readVerified(storage, upload);
    const claim = newId();
    if (!(await claimUpload(db, workspaceId, key, claim))) {
      refuseUnusable(await findUpload(db, workspaceId, productId, key));
      throw conflict(
        'key_in_use',
        'Another request is attaching this key. List the images of the product to see the result.',
      );
    }
    try {
      await storage.publish(key, bytes, upload.contentType);
    } catch (error) {
      await releaseUpload(db, workspaceId, key, claim);
      throw error;
    }
    const { contentType } = upload;
    return { row: { key, url: null, contentType, size: bytes.length, width, height, option }, order, claim };
  });
}

/** The fast part: records the image and its event in the caller's transaction. Returns the id of the image. */
export async function recordImage(
  tx: Tx,
  workspaceId: string,
  origin: Origin,
  productId: string,
  { row, order, claim }: PreparedImage,
): Promise<string> {
  const imageId = await addImage(tx, workspaceId, origin, productId, row, order);
  // This must be the last step that can reject the request. With an idempotency key, the transaction is still open
  // when releaseImage runs after a rejection, and releaseImage would wait for the row lock that markAttached takes.
  if (claim !== undefined && !(await markAttached(tx, workspaceId, row.key as string, claim)))
    throw conflict(
      'key_in_use',
      'Another request started to attach this key in the meantime. List the images of the product to see the result.',
    );
  return imageId;
}

/**
 * Releases the claim after a rejection, so that the key can be attached later, for example once another image is
 * removed. The published file stays in the storage, and is removed with the upload if the key is never attached. After
 * key_in_use there is nothing to release, because another request has taken the upload. After a failure that is not
 * a rejection, the claim expires on its own.
 */
export async function releaseImage(
  db: Share,
  workspaceId: string,
  { row, claim }: PreparedImage,
  error: unknown,
): Promise<void> {
  if (claim === undefined || !(error instanceof ApiError) || error.code === 'key_in_use') return;
  await releaseUpload(db, workspaceId, row.key as string, claim);
}

function imageByUrl(url: string): Omit<NewImageRow, 'option'> {
  return { key: null, url, contentType: null, size: null, width: null, height: null };
}

function refuseUnusable(upload: FoundUpload | undefined): asserts upload is FoundUpload {
  if (!upload)
    throw invalid([
      keyFault('is not a key that POST /uploads returned for this product in the last 24 hours'),
    ]);
  if (!upload.attached) return;
  throw conflict(
    'key_attached',
    upload.removed
      ? 'The image of this key was attached and then removed. Upload the file again with a new key.'
      : 'This key is already attached.',
  );
}

/** Returns the verified image. A file that fails the verification is discarded. */
async function readVerified(storage: Storage, { key, contentType, contentLength }: Upload) {
  const bytes = await storage.readStaged(key);
  if (!bytes)
    throw invalid([keyFault('has no file: PUT the file to its uploadUrl first, then attach the key')]);
  const verified =
    bytes.length === contentLength
      ? await verifyImage(bytes, contentType)
      : { fault: 'has a file whose length is not the declared contentLength' };
  if ('fault' in verified) {
    await storage.removeStaged(key);
    throw invalid([keyFault(`${verified.fault}; the file was discarded`)]);
  }
  return verified;
}

function keyFault(message: string): FaultDetail {
  return { field: 'key', message };
}
