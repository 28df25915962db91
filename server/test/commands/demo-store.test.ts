import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureDemo, fillDemo } from '../../src/commands/demo.js';
import { DEMO_PRODUCTS } from '../../src/commands/demo-store/products.js';
import { type Feira, openFeira } from '../support/feira.js';
import { temporaryFolder } from '../support/process.js';

let feira: Feira;
let folder: ReturnType<typeof temporaryFolder>;
let demo: Awaited<ReturnType<typeof ensureDemo>>;

beforeAll(async () => {
  feira = await openFeira();
  folder = temporaryFolder();
  demo = await ensureDemo(feira.context, folder.path);
});
afterAll(async () => {
  await feira.close();
  folder.remove();
});

async function read(path: string) {
  const answer = await feira.app.inject({
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${demo.token}` },
  });
  expect(answer.statusCode).toBe(200);
  return answer.json();
}

const fill = (signal: AbortSignal) => fillDemo(feira.context, demo, folder.path, signal);
const isFilled = () => JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8')).filled === true;

test('the demo store is completed after an interruption, and nothing is added twice', async () => {
  const interrupted = new AbortController();
  const first = fill(interrupted.signal);
  interrupted.abort();
  await first;
  expect(isFilled()).toBe(false);

  await fill(new AbortController().signal);
  expect(isFilled()).toBe(true);
  // A run that does not know that the store is complete.
  await fill(new AbortController().signal);

  const { data, meta } = await read('/products?limit=50&include=variants,images');
  expect(meta.total).toBe(DEMO_PRODUCTS.length);
  const images = data.map((product: { images: object[] }) => product.images.length);
  expect(Math.min(...images)).toBeGreaterThanOrEqual(3);
  expect(Math.max(...images)).toBeLessThanOrEqual(5);
  const types = new Set(
    data.flatMap((product: { images: { contentType: string }[] }) =>
      product.images.map(({ contentType }) => contentType),
    ),
  );
  expect([...types].sort()).toEqual(['image/jpeg', 'image/png', 'image/webp']);
  expect(data.some(({ quantity }: { quantity: number }) => quantity === 0)).toBe(true);

  const orders = await read('/orders?limit=100');
  expect(orders.meta.total).toBe(42);
  const statuses = new Set(orders.data.map(({ status }: { status: string }) => status));
  expect([...statuses].sort()).toEqual(['canceled', 'paid', 'partial_refunded', 'pending', 'refunded']);
  const days = new Set(orders.data.map(({ createdAt }: { createdAt: string }) => createdAt.slice(0, 10)));
  expect(days.size).toBeGreaterThanOrEqual(14);
  expect((await read('/customers')).meta.total).toBe(14);
});
