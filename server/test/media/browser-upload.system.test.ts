import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { pngOf } from '../support/images.js';
import { askUpload } from '../support/media.js';
import { freePort } from '../support/process.js';

let feira: Feira;
let address: string;
let store: StoreClient;
let productId: string;
let elsewhere: Server;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let page: Page;

beforeAll(async () => {
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  feira = await openFeira({ publicUrl: address });
  await feira.app.listen({ host: '127.0.0.1', port });
  store = await feira.store();
  productId = await newProduct(store);
  elsewhere = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html><title>An integrator</title>');
  }).listen(0, '127.0.0.1');
  await once(elsewhere, 'listening');
  browser = await openBrowser();
  page = await browser.newPage();
  // A page on another port has another origin.
  await page.goto(`http://127.0.0.1:${(elsewhere.address() as { port: number }).port}/`);
});
afterAll(async () => {
  await browser?.end();
  elsewhere?.close();
  await feira?.close();
});

/** Returns what a script on the page receives: the status, or the name of the error if the browser blocks the call. */
function fetchInPage(
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: Buffer,
): Promise<number | string> {
  return page.evaluate(
    async ([url, method, headers, body]) => {
      const bytes = body === null ? null : Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0));
      try {
        return (await fetch(url, { method, headers, body: bytes })).status;
      } catch (error) {
        return (error as Error).name;
      }
    },
    [url, method, headers, body?.toString('base64') ?? null] as const,
  );
}

test('a page of another origin uploads a file, and shows it once it is attached', async () => {
  const bytes = await pngOf(1);
  const asked = await askUpload(store, productId, 'image/png', bytes.length);
  expect(await fetchInPage(asked.uploadUrl, 'PUT', { 'Content-Type': 'image/png' }, bytes)).toBe(200);
  const attached = await store.post(`/products/${productId}/images`, { key: asked.key });
  expect(attached.status).toBe(201);
  const url = JSON.stringify(attached.body.url);
  const width = await page.evaluate(`(async () => {
    const image = new Image();
    image.src = ${url};
    await image.decode();
    return image.naturalWidth;
  })()`);
  expect(width).toBe(61);
});

test('a page of another origin gets the status of a rejected upload', async () => {
  const bytes = await pngOf(1);
  const asked = await askUpload(store, productId, 'image/png', bytes.length);
  expect(await fetchInPage(asked.uploadUrl, 'PUT', { 'Content-Type': 'image/gif' }, bytes)).toBe(403);
  expect(await fetchInPage(asked.uploadUrl, 'PUT', { 'Content-Type': 'image/png' }, bytes.subarray(1))).toBe(
    403,
  );
});

test('a page of another origin cannot send DELETE or PATCH to an upload URL, nor PUT with a header other than Content-Type', async () => {
  const bytes = await pngOf(1);
  const { uploadUrl } = await askUpload(store, productId, 'image/png', bytes.length);
  const type = { 'Content-Type': 'image/png' };
  expect(await fetchInPage(uploadUrl, 'DELETE', {})).toBe('TypeError');
  expect(await fetchInPage(uploadUrl, 'PATCH', type, bytes)).toBe('TypeError');
  expect(await fetchInPage(uploadUrl, 'PUT', { ...type, 'X-Other': '1' }, bytes)).toBe('TypeError');
});

test('the API itself is closed to pages of other origins, with a token or without', async () => {
  const authorization = { Authorization: `Bearer ${store.token}` };
  expect(await fetchInPage(`${address}/api/v1/me`, 'GET', authorization)).toBe('TypeError');
  expect(await fetchInPage(`${address}/api/v1/me`, 'GET', {})).toBe('TypeError');
  const json = { ...authorization, 'Content-Type': 'application/json' };
  expect(await fetchInPage(`${address}/api/v1/uploads`, 'POST', json, Buffer.from('{}'))).toBe('TypeError');
  expect(await fetchInPage(`${address}/api/oauth/token`, 'POST', {}, Buffer.from('x'))).toBe('TypeError');
});
