import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from 'feira/dist/platform/embedded-postgres/start.js';
import { memoryOf, startFeira, temporaryFolder } from './processes.js';
import { seed } from './seed.js';

// This benchmark streams the products of a large store while they are being changed, applies the events after the
// cursor of the snapshot, and compares the result with the store, record by record. It prints the duration of each
// stream and how much the memory of the server grew.

const { values: options } = parseArgs({
  options: {
    products: { type: 'string', default: '100000' },
    writes: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '20' },
  },
});
const GOAL_MB = 20;

interface Product {
  id: string;
  price: number;
  quantity: number;
  variants: { sku: string; quantity: number }[];
}

const folder = temporaryFolder();
const postgres = await startEmbeddedPostgres({ folder });
const [store] = await seed(postgres.connection, 1, { products: Number(options.products) });
const { host, user, database } = postgres.connection;
const server = await startFeira(
  folder,
  `postgresql:///${database}?host=${encodeURIComponent(host)}&user=${user}`,
);

const writerProcess = fork(fileURLToPath(new URL('./snapshot-writers.js', import.meta.url)));
const ids: string[] = [];
const skus: [string, string][] = [];
let base: number | undefined;
let hasFailed = false;
for (let round = 0; round <= Number(options.rounds); round++) {
  if (round === 1) {
    console.log(`without a stream: ${await writeAlone()} writes/s`);
    // Writes need memory even without a stream, so the baseline includes that memory.
    base = Math.max(base!, memoryOf(server.pid)?.now ?? 0);
  }
  const writers = round === 0 ? undefined : startWriters();
  const begun = performance.now();
  const { cursor, products, peak } = await stream();
  const seconds = (performance.now() - begun) / 1_000;
  const written = await writers?.stop();
  if (written === undefined) {
    // The first stream warms up the process and provides the writers with the ids of the products.
    for (const { id, variants } of products.values()) {
      if (variants[0]) skus.push([id, variants[0].sku]);
      else ids.push(id);
    }
    base = peak;
    continue;
  }
  const events = await catchUp(products, cursor);
  const differences = await compare(products);
  const growth = peak - base!;
  hasFailed ||= differences > 0 || growth > GOAL_MB;
  console.log(
    `round ${round}: ${products.size} products in ${seconds.toFixed(1)} s, ${Math.round(written / seconds)} writes/s, ` +
      `${events} events after the cursor, ${differences} differences, ` +
      `memory ${peak.toFixed(0)} MB (${growth >= 0 ? '+' : ''}${growth.toFixed(0)} MB, goal: at most +${GOAL_MB} MB)`,
  );
}
writerProcess.disconnect();
await server.stop();
await postgres.close();
process.exit(hasFailed ? 1 : 0);

function call(path: string, init: RequestInit = {}, accept = 'application/json'): Promise<Response> {
  return fetch(`http://127.0.0.1:${server.port}/api/v1${path}`, {
    ...init,
    headers: {
      authorization: `Bearer ${store!.token}`,
      accept,
      'accept-encoding': 'identity',
      ...(init.body !== undefined && { 'content-type': 'application/json' }),
    },
  });
}

async function json<T>(path: string): Promise<T> {
  const response = await call(path);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

async function writeAlone(): Promise<number> {
  const seconds = 15;
  const writers = startWriters();
  await delay(seconds * 1_000);
  return Math.round((await writers.stop()) / seconds);
}

/** Starts to write at the requested rate, or as fast as the server responds if that is slower. */
function startWriters(): { stop(): Promise<number> } {
  writerProcess.send({
    url: `http://127.0.0.1:${server.port}/api/v1`,
    token: store!.token,
    perSecond: Number(options.writes),
    ids,
    skus,
  });
  return {
    async stop() {
      writerProcess.send('stop');
      const [{ written }] = (await once(writerProcess, 'message')) as [{ written: number }];
      return written;
    },
  };
}

async function stream() {
  const response = await call('/products', {}, 'application/x-ndjson');
  if (!response.ok) throw new Error(`snapshot: ${response.status} ${await response.text()}`);
  const products = new Map<string, Product>();
  let cursor = '';
  let count: number | undefined;
  let peak = 0;
  for await (const line of createInterface({ input: Readable.fromWeb(response.body as never) })) {
    const record = JSON.parse(line);
    if (record.snapshot) cursor = record.snapshot.cursor;
    else if (record.end) count = record.end.count;
    else products.set(record.id, compact(record));
    if (products.size % 1_000 === 0) peak = Math.max(peak, memoryOf(server.pid)?.now ?? 0);
  }
  if (count !== products.size)
    throw new Error(`${products.size} products arrived, but the last line states ${count}`);
  return { cursor, products, peak };
}

async function catchUp(products: Map<string, Product>, cursor: string): Promise<number> {
  let events = 0;
  for (let after = cursor; ; ) {
    const { data, meta } = await json<{ data: FeedEvent[]; meta: { hasMore: boolean; nextCursor: string } }>(
      `/events?limit=100&after=${after}`,
    );
    for (const { event, data: change } of data) {
      const product = products.get(change.id)!;
      if (event === 'product.updated') products.set(change.id, compact(await json(`/products/${change.id}`)));
      else if (change.sku === undefined) product.quantity = change.quantity;
      else {
        for (const variant of product.variants)
          if (variant.sku === change.sku) variant.quantity = change.quantity;
        product.quantity = product.variants.reduce((sum, { quantity }) => sum + quantity, 0);
      }
    }
    events += data.length;
    if (!meta.hasMore) return events;
    after = meta.nextCursor;
  }
}

interface FeedEvent {
  event: string;
  data: { id: string; sku?: string; quantity: number };
}

/** Counts the products that differ between the store and the copy made from the stream and the events. */
async function compare(products: Map<string, Product>): Promise<number> {
  const held = new Map(products);
  let differences = 0;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { data: Product[]; meta: { nextCursor: string | null } } = await json(
      `/products?limit=100&include=variants${cursor && `&cursor=${cursor}`}`,
    );
    for (const product of page.data) {
      if (JSON.stringify(compact(product)) !== JSON.stringify(held.get(product.id))) differences++;
      held.delete(product.id);
    }
    cursor = page.meta.nextCursor;
  }
  return differences + held.size;
}

function compact({ id, price, quantity, variants }: Product): Product {
  return { id, price, quantity, variants: variants.map(({ sku, quantity }) => ({ sku, quantity })) };
}
