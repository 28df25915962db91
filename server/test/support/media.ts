import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ImageType } from '../../src/media/image-types.js';
import type { LocalStorage } from '../../src/media/local-storage.js';
import type { Answer, Feira, StoreClient } from './feira.js';

export interface Asked {
  uploadUrl: string;
  key: string;
}

export async function askUpload(
  store: StoreClient,
  productId: string,
  contentType: ImageType,
  contentLength: number,
): Promise<Asked> {
  const asked = await store.post('/uploads', { productId, contentType, contentLength });
  expect(asked.status).toBe(201);
  return asked.body;
}

/** Sends the bytes to the upload URL. The request is injected, so the server does not have to listen. */
export async function put(
  feira: Feira,
  { uploadUrl }: Asked,
  contentType: string,
  bytes: Buffer,
): Promise<number> {
  const { pathname, search } = new URL(uploadUrl);
  const headers = { 'content-type': contentType, 'content-length': String(bytes.length) };
  const answer = await feira.app.inject({ method: 'PUT', url: pathname + search, headers, payload: bytes });
  return answer.statusCode;
}

/** Requests an upload URL, sends the bytes to it and returns the key. */
export async function upload(
  feira: Feira,
  store: StoreClient,
  productId: string,
  bytes: Buffer,
  contentType: ImageType = 'image/png',
): Promise<string> {
  const asked = await askUpload(store, productId, contentType, bytes.length);
  expect(await put(feira, asked, contentType, bytes)).toBe(200);
  return asked.key;
}

/** Uploads an image and attaches it to the product. */
export async function uploadAndAttach(
  feira: Feira,
  store: StoreClient,
  productId: string,
  bytes: Buffer,
  contentType: ImageType = 'image/png',
): Promise<Answer> {
  const key = await upload(feira, store, productId, bytes, contentType);
  return store.post(`/products/${productId}/images`, { key });
}

/** Injects a GET request for a URL of the server. */
export async function served(feira: Feira, url: string, headers: Record<string, string> = {}) {
  return feira.app.inject({ method: 'GET', url: url.replace('http://feira.test', ''), headers });
}

/** All files in the local storage, as paths relative to media/. */
export function storedFiles(feira: Feira): string[] {
  const folder = join((feira.context.storage as LocalStorage).published, '..');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
