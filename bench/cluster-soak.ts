import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { get, type Product, seededProducts } from './calls.js';
import { type Sample, Sampler } from './cluster-samples.js';
import type { Arrival } from './deliveries-receiver.js';
import { printFlatness } from './flatness.js';
import type { LoadResult } from './load.js';
import { LocalCluster } from './local-cluster.js';
import { LoadProcess } from './processes.js';
import { median, requestBytes } from './request-bytes.js';
import { type SeededStore, seed } from './seed.js';

// Starts the local cluster, measures how many calls per second it answers, and sends half of that for many minutes.
// Memory, connections, prepared statements, wasted space in tables, the WAL rate and the backlog must not grow.

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    stores: { type: 'string', default: '20' },
    products: { type: 'string', default: '500' },
    connections: { type: 'string', default: '64' },
  },
});
const CAPACITY_ROUNDS = 3;
const CAPACITY_SECONDS = 10;
const SAMPLE_SECONDS = 30;
/** The share of the run, at its start, that is not evaluated, because caches, pools and tables are still growing. */
const WARM_UP = 0.1;
const STOCK = 'stock write';
/** The kinds of ten successive calls. The sequence is repeated. */
const TURNS = [
  'product',
  STOCK,
  'product',
  'products',
  STOCK,
  'product',
  'orders',
  'products',
  STOCK,
  'product',
];

const cluster = new LocalCluster();
console.log(`filling ${options.stores} stores with ${options.products} products and as many orders each`);
const filling = { products: Number(options.products), orders: Number(options.products) };
const stores = await seed(cluster.primary, Number(options.stores), filling);
const products = await seededProducts(cluster.primary, stores);
const simple = products.filter(({ hasVariants }) => !hasVariants);
let arrivals = 0;
const receiver = await subscribe(stores);
const sampler = new Sampler(cluster);
const load = new LoadProcess();
const sent = new Map<string, number>();

console.log('measuring the capacity');
const capacity = await measureCapacity();
const rate = Math.max(1, Math.floor(capacity / 2));
console.log(
  `capacity ${capacity.toFixed(0)} calls/s; the soak sends ${rate} calls/s for ${options.minutes} min`,
);
const samples: Sample[] = [];
const total = Math.max(2, Math.round((Number(options.minutes) * 60) / SAMPLE_SECONDS));
await sampler.take();
let writes = 0;
arrivals = 0;
while (samples.length < total) samples.push(await soak());
while ((await sampler.backlog()) > 0) await delay(500);
const growing = printFlatness(samples.slice(Math.floor(total * WARM_UP)));
console.log(`\n${writes} stock writes, ${arrivals} events arrived`);
console.log(growing.length === 0 ? 'Everything is flat.' : `Not flat: ${growing.join('; ')}`);
load.stop();
receiver.kill();
process.exit(growing.length === 0 ? 0 : 1);

/** Returns how many calls per second are answered at full speed, while their events are delivered. */
async function measureCapacity(): Promise<number> {
  const rates: number[] = [];
  for (let round = 0; round <= CAPACITY_ROUNDS; round++) {
    const { requests, seconds, statuses } = await send(20_000, CAPACITY_SECONDS);
    if (Object.keys(statuses).join() !== '200') throw new Error(`capacity: ${JSON.stringify(statuses)}`);
    // The first round fills caches and pools.
    if (round > 0) rates.push(requests / seconds);
  }
  while ((await sampler.backlog()) > 0) await delay(500);
  return median(rates);
}

/** Sends calls for the time between two samples. If the machine is too slow, the last of these calls are not sent. */
async function soak(): Promise<Sample> {
  const result = await send(rate * SAMPLE_SECONDS, SAMPLE_SECONDS, rate);
  writes += Array.from({ length: result.requests }, (_, n) => TURNS[n % TURNS.length]).filter(
    (kind) => kind === STOCK,
  ).length;
  const sample = await sampler.take();
  sample.set('calls per second', result.requests / result.seconds);
  sample.set('p50 (ms)', result.p50);
  sample.set('p99 (ms)', result.p99);
  sample.set('failed calls', result.requests - (result.statuses['200'] ?? 0));
  const figures = [...sample].flatMap(([name, value]) =>
    name.startsWith('bytes per row') ? [] : `${name} ${value.toFixed(1)}`,
  );
  console.log(`[${samples.length + 1}/${total}] ${figures.join('; ')}; ${JSON.stringify(result.statuses)}`);
  return sample;
}

function send(count: number, seconds: number, perSecond?: number): Promise<LoadResult> {
  return load.run({
    port: cluster.port,
    connections: Number(options.connections),
    seconds,
    count,
    ...(perSecond && { perSecond }),
    requests: Array.from({ length: count }, (_, n) => nextRequest(TURNS[n % TURNS.length]!)),
  });
}

function nextRequest(kind: string): Uint8Array {
  const n = sent.get(kind) ?? 0;
  sent.set(kind, n + 1);
  const store = stores[n % stores.length]!;
  const page = 1 + (n % 5);
  if (kind === 'products' || kind === 'orders') return get(`/${kind}?page=${page}`, store.token);
  if (kind === STOCK) return stockWrite(simple[n % simple.length]!, n);
  const { id, token } = products[n % products.length]!;
  return get(`/products/${id}`, token);
}

/** Each write to a product sets another quantity, so that every write causes an event. */
function stockWrite({ id, token }: Product, n: number): Uint8Array {
  const quantity = 1_000 + Math.floor(n / simple.length);
  return requestBytes('PATCH', `/api/v1/products/${id}/stock`, token, { quantity });
}

/** Subscribes one receiver, a separate process, to the stock events of every store. */
async function subscribe(subscribers: SeededStore[]) {
  const child = fork(fileURLToPath(new URL('./deliveries-receiver.js', import.meta.url)));
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  child.on('message', (report: { arrivals: Arrival[] }) => (arrivals += report.arrivals.length));
  for (const [index, { token }] of subscribers.entries()) {
    const response = await fetch(`http://127.0.0.1:${cluster.port}/api/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `http://127.0.0.1:${port}/${index}`, events: ['stock.updated'] }),
    });
    if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
  }
  return child;
}
