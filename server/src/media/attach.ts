import type { Tx } from '../platform/db.js';
import { conflict, type FaultDetail, invalid } from '../platform/errors.js';
import { isId } from '../platform/ids.js';
import { sql } from '../platform/sql.js';
import { addImage } from './images.js';
import type { NewImage } from './schema.js';
import type { Storage } from './storage.js';
import { lockUpload, markAttached, productNotFound, type Upload } from './uploads.js';
import { verifyImage } from './verify.js';

/** Attaches an uploaded file or an address. Answers the id of the image. */
export async function attachImage(
  tx: Tx,
  storage: Storage,
  workspaceId: string,
  productId: string,
  body: NewImage,
): Promise<string> {
  await refuseUnknownProduct(tx, workspaceId, productId);
  if (body.key === undefined) {
    const url = body.url as string;
    return addImage(
      tx,
      workspaceId,
      productId,
      { key: null, url, contentType: null, size: null, width: null, height: null },
      body.order,
    );
  }
  const upload = await lockUpload(tx, workspaceId, productId, body.key);
  if (!upload) throw invalid([keyFault('is not a key that POST /uploads gave out for this product')]);
  if (upload.attached) throw conflict('key_attached', 'This file is attached already');
  const { width, height } = await publishVerified(storage, upload);
  await markAttached(tx, workspaceId, upload.key);
  const image = {
    key: upload.key,
    url: null,
    contentType: upload.contentType,
    size: upload.contentLength,
    width,
    height,
  };
  return addImage(tx, workspaceId, productId, image, body.order);
}

/** The very bytes that were verified are the ones that are published; what is no image is thrown away. */
async function publishVerified(
  storage: Storage,
  { key, contentType, contentLength }: Upload,
): Promise<{ width: number; height: number }> {
  const bytes = await storage.readStaged(key);
  if (!bytes)
    throw invalid([keyFault('has no file: nothing was uploaded to its address within five minutes')]);
  const verified =
    bytes.length === contentLength
      ? await verifyImage(bytes, contentType)
      : { fault: 'is not as long as declared' };
  if ('fault' in verified) {
    await storage.removeStaged(key);
    throw invalid([keyFault(`${verified.fault}; the file is discarded`)]);
  }
  await storage.publish(key, bytes, contentType);
  return verified;
}

async function refuseUnknownProduct(tx: Tx, workspaceId: string, productId: string): Promise<void> {
  const found = isId(productId)
    ? await tx.query(sql`select 1 from products where workspace_id = ${workspaceId} and id = ${productId}`)
    : [];
  if (found.length === 0) throw productNotFound(productId);
}

function keyFault(message: string): FaultDetail {
  return { field: 'key', message };
}
