import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureDemo, fillDemo } from '../../src/commands/demo.js';
import { accessKey } from '../../src/commands/demo-store/orders.js';
import { DEMO_PRODUCTS } from '../../src/commands/demo-store/products.js';
import { setBudget } from '../../src/oauth/budget.js';
import { sql } from '../../src/platform/db/sql.js';
import { type Feira, openFeira } from '../support/feira.js';
import { temporaryFolder, until } from '../support/process.js';
import { sized } from '../support/sized.js';

/**
 * Drawing the pictures of all products takes eight seconds of CPU time. A short run therefore draws only those of the
 * last three products.
 */
const DRAWN = DEMO_PRODUCTS.slice(-sized(3, DEMO_PRODUCTS.length)).map(({ name }) => name);

let feira: Feira;
let folder: ReturnType<typeof temporaryFolder>;
let demo: Awaited<ReturnType<typeof ensureDemo>>;

beforeAll(async () => {
  feira = await openFeira();
  folder = temporaryFolder();
  demo = await ensureDemo(feira.context, folder.path);
  await setBudget(feira.context.db.store('test').autocommit, demo.workspaceId, demo.clientId, 100_000);
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

function write(method: 'POST', path: string, payload: object) {
  const headers = { authorization: `Bearer ${demo.token}` };
  return feira.app.inject({ method, url: `/api/v1${path}`, headers, payload });
}

async function countProducts(): Promise<number> {
  const [row] = await feira.context.db.store('test').query<{ count: number }>(sql`
    select count(*)::integer as count from products where workspace_id = ${demo.workspaceId}`);
  return row!.count;
}

/** Adds five pictures to every product that is not in DRAWN, so that none are drawn for it. */
async function addOwnPictures(): Promise<void> {
  await feira.context.db.store('test').autocommit.query(sql`
    insert into product_images (workspace_id, product_id, id, position, url)
    select workspace_id, id, new_id(), position, 'https://cdn.example/own.png'
    from products, generate_series(0, 4) position
    where workspace_id = ${demo.workspaceId} and name <> all(${DRAWN}::text[])`);
}

interface Order {
  id: string;
  number: number;
  invoices: unknown[];
}

/** Simulates a connected app that invoices and ships all paid orders while the demo store is being filled. */
async function shipUntil(filled: Promise<void>): Promise<number> {
  let isFilling = true;
  const ended = filled.finally(() => {
    isFilling = false;
  });
  let shipped = 0;
  while (isFilling) {
    const { data } = await read('/orders?status=paid&limit=100');
    for (const { id, number, invoices } of data as Order[]) {
      if (invoices.length === 0)
        await write('POST', `/orders/${id}/invoices`, { type: 'nfe', key: accessKey(900 + number) });
      const answer = await write('POST', '/shipments', { orderId: id });
      if (answer.statusCode === 201) shipped++;
      else expect(answer.statusCode).toBe(409);
    }
  }
  await ended;
  return shipped;
}

const fill = (signal: AbortSignal) => fillDemo(feira.context, demo, folder.path, signal);
const isFilled = () => JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8')).filled === true;

test('the demo store is completed after an interruption, and nothing is added twice', async () => {
  const interrupted = new AbortController();
  const first = fill(interrupted.signal);
  // All products are added before the first picture.
  await until(async () => (await countProducts()) === DEMO_PRODUCTS.length);
  interrupted.abort();
  await first;
  expect(isFilled()).toBe(false);
  await addOwnPictures();

  const filling = fill(new AbortController().signal);
  const shipped = await shipUntil(filling);
  expect(isFilled()).toBe(true);
  expect(shipped).toBeGreaterThan(0);
  // Fills the store again, as if the process had ended before it recorded that the store is complete.
  await fill(new AbortController().signal);

  const { data, meta } = await read('/products?limit=50&include=variants,images');
  expect(meta.total).toBe(DEMO_PRODUCTS.length);
  for (const { name, images } of data as { name: string; images: { url: string }[] }[]) {
    const own = images.filter(({ url }) => url === 'https://cdn.example/own.png');
    expect([name, own.length]).toEqual([name, DRAWN.includes(name) ? 0 : 5]);
    expect(images.length).toBeGreaterThanOrEqual(3);
    expect(images.length).toBeLessThanOrEqual(5);
  }
  const types = new Set(
    data
      .filter(({ name }: { name: string }) => DRAWN.includes(name))
      .flatMap((product: { images: { contentType: string }[] }) =>
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
  // The simulated app and fillDemo() never invoice the same order.
  for (const { invoices } of orders.data as Order[]) expect(invoices.length).toBeLessThanOrEqual(1);
  expect((await read('/customers')).meta.total).toBe(14);
});
