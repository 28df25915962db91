import { Readable } from 'node:stream';
import { createProduct } from '../../catalog/create-product.js';
import { type PreparedImage, prepareImage, recordImage } from '../../media/attach.js';
import { LocalStorage } from '../../media/local-storage.js';
import type { Storage } from '../../media/storage.js';
import { createUpload } from '../../media/uploads.js';
import type { Database } from '../../platform/db/database.js';
import type { Tx } from '../../platform/db/share.js';
import { sql } from '../../platform/db/sql.js';
import type { DemoProduct } from './demo-product.js';
import { drawPicture, type PictureRequest } from './pictures.js';
import { DEMO_PRODUCTS } from './products.js';

export interface FillServices {
  db: Database;
  storage: Storage;
}

/**
 * Adds the products of the demo store and their pictures. Each step skips what already exists, so if a run is
 * interrupted, the next one continues it.
 */
export async function fillCatalog(
  services: FillServices,
  workspaceId: string,
  signal: AbortSignal,
): Promise<void> {
  const { db } = services;
  for (const product of DEMO_PRODUCTS) {
    if (signal.aborted) return;
    await db.store(workspaceId).transaction((tx) => ensureProduct(tx, workspaceId, product));
  }
  // Pictures are drawn for the newest products first, because the product list begins with these.
  for (const product of DEMO_PRODUCTS.toReversed()) {
    if (signal.aborted) return;
    await addPictures(services, workspaceId, product, signal);
  }
}

async function ensureProduct(tx: Tx, workspaceId: string, product: DemoProduct): Promise<void> {
  const { name, description, price, priceDiscount, categoryId, weight, colors, sku, quantity } = product;
  if (await findProduct(tx, workspaceId, name)) return;
  const fields = { name, description, price, priceDiscount: priceDiscount ?? null, categoryId, weight };
  const stock = colors ? { variants: variationsOf(product, colors) } : { sku, quantity };
  await createProduct(tx, workspaceId, 'system', { ...fields, ...stock });
}

function variationsOf(product: DemoProduct, { name, options }: NonNullable<DemoProduct['colors']>) {
  const { sizes, sku, quantity, stock = {} } = product;
  const colors = Object.keys(options);
  const rows = sizes
    ? sizes.flatMap((size) => colors.map((color) => [size, color]))
    : colors.map((each) => [each]);
  return {
    types: [...(sizes ? [{ name: 'Tamanho', options: sizes }] : []), { name, options: colors }],
    combinations: rows.map((row) => ({
      options: row,
      sku: [sku, ...row.map(codeOf)].join('-'),
      quantity: stock[row.join(' ')] ?? quantity,
    })),
  };
}

/** Returns the first three characters of an option, without accents and in capitals, such as CAP for Capim-limão. */
function codeOf(option: string): string {
  return option
    .normalize('NFKD')
    .replace(/\P{ASCII}/gu, '')
    .slice(0, 3)
    .toUpperCase();
}

async function findProduct(
  db: { query: Tx['query'] },
  workspaceId: string,
  name: string,
): Promise<{ id: string; images: number } | undefined> {
  const [found] = await db.query<{ id: string; images: number }>(sql`
    select p.id, (select count(*) from product_images i where i.workspace_id = p.workspace_id and i.product_id = p.id)::integer as images
    from products p where p.workspace_id = ${workspaceId} and p.name = ${name}`);
  return found;
}

async function addPictures(
  services: FillServices,
  workspaceId: string,
  product: DemoProduct,
  signal: AbortSignal,
): Promise<void> {
  const db = services.db.store(workspaceId);
  const found = await findProduct(db, workspaceId, product.name);
  // The merchant may have deleted the product.
  if (!found) return;
  for (const request of picturesOf(product).slice(found.images)) {
    if (signal.aborted) return;
    await attach(services, workspaceId, found.id, request);
  }
}

/** A picture to draw, and the option that it shows, if any. */
type DemoPicture = PictureRequest & { option: string | undefined };

/** Returns one picture per color, and a scene and a close-up in the first color. */
function picturesOf({ draw, portrait = false, color, colors }: DemoProduct): DemoPicture[] {
  const all: [option: string | undefined, color: string][] = colors
    ? Object.entries(colors.options)
    : [[undefined, color ?? '#888888']];
  const [option, first] = all[0]!;
  return [
    ...all.map(([option, each]) => ({ draw, portrait, color: each, view: 'front' as const, option })),
    { draw, portrait, color: first, view: 'scene', option },
    { draw, portrait, color: first, view: 'detail', option },
  ];
}

/** Attaches a picture in the same steps as an app: request an upload, send the bytes, attach the key. */
async function attach(
  { db, storage }: FillServices,
  workspaceId: string,
  productId: string,
  { option, ...request }: DemoPicture,
): Promise<void> {
  const { bytes, contentType } = await drawPicture(request);
  const store = db.store(workspaceId);
  const upload = await createUpload(store.autocommit, workspaceId, {
    productId,
    contentType,
    contentLength: bytes.length,
  });
  if (storage instanceof LocalStorage) await storage.stage(upload.key, Readable.from([bytes]));
  else await put(await storage.signPut(upload), bytes, contentType);
  const prepared: PreparedImage = await prepareImage(store, storage, workspaceId, productId, {
    key: upload.key,
    ...(option !== undefined && { option }),
  });
  await store.transaction((tx) => recordImage(tx, workspaceId, 'system', productId, prepared));
}

async function put(address: string, bytes: Buffer, contentType: string): Promise<void> {
  const answer = await fetch(address, {
    method: 'PUT',
    headers: { 'Content-Type': contentType },
    body: new Uint8Array(bytes),
  });
  if (!answer.ok) throw new Error(`The storage answered ${answer.status} to the upload of a demo picture`);
}
