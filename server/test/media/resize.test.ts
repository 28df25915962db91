import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { shopOf, Visitor } from '../support/buyer.js';
import { newProduct } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { served, storedFiles, uploadAndAttach } from '../support/media.js';
import { until } from '../support/process.js';
import { sharedFeira } from '../support/shared-feira.js';

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
});

const variants = () => storedFiles(feira).filter((path) => path.startsWith('variants/'));

test('a shop offers an uploaded image in several widths, stored once each and removed with the image', async () => {
  const productId = await newProduct(store, { name: 'Mug' });
  const bytes = await sharp({ create: { width: 500, height: 900, channels: 3, background: '#336699' } })
    .png()
    .toBuffer();
  const { body } = await uploadAndAttach(feira, store, productId, bytes);
  const { html } = await new Visitor(feira, await shopOf(feira, store)).at();
  const [, srcset = ''] = /srcset="([^"]*)"/.exec(html) ?? [];
  const sources = srcset.split(', ').map((source) => source.split(' '));
  expect(sources.map(([, width]) => width)).toEqual(['160w', '320w', '640w', '1200w']);

  const sizes: (number | undefined)[][] = [];
  for (const [url = ''] of sources) {
    const answers = await Promise.all([served(feira, url), served(feira, url)]);
    for (const { statusCode, headers } of answers) {
      expect(statusCode).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'image/webp',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      });
    }
    const { width, height } = await sharp(answers[0]!.rawPayload).metadata();
    sizes.push([width, height]);
  }
  // An image is never enlarged.
  expect(sizes).toEqual([
    [160, 288],
    [320, 576],
    [500, 900],
    [500, 900],
  ]);
  expect(variants()).toHaveLength(4);

  await store.delete(`/products/${productId}/images/${body.id}`);
  // The files are deleted after the response is sent.
  await until(() => variants().length === 0);
  expect((await served(feira, sources[0]![0]!)).statusCode).toBe(404);
});

test('an unknown width, key or path returns 404, and nothing is stored', async () => {
  const key = `product_images/${'0'.repeat(8)}-0000-7000-8000-000000000000/${'a'.repeat(22)}.png`;
  for (const path of [
    `160/${key}.webp`,
    `161/${key}.webp`,
    `160/${key}`,
    '160/../../secret.webp',
    '160/%2e%2e%2fsecret.webp',
    'x/y.webp',
  ])
    expect((await served(feira, `/media/w/${path}`)).statusCode, path).toBe(404);
  expect(variants()).toEqual([]);
});
