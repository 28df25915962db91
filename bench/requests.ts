import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from 'feira/dist/platform/embedded-postgres/start.js';
import type { LoadResult } from './load.js';
import { LoadProcess, memoryOf, type Server, startFeira, startHello, temporaryFolder } from './processes.js';
import { median, requestBytes, shuffled } from './request-bytes.js';
import { type Connection, query, type SeededStore, seed } from './seed.js';

// Measures which share of the throughput of a bare Fastify "hello world" each call reaches, with authentication,
// budgets, validation, events and logging enabled, over 1,000 stores and 100,000 products. Absolute figures depend on
// the machine and its load; the ratio is computed within a round, in which both had the same conditions.

const { values: options } = parseArgs({
  options: {
    stores: { type: 'string', default: '1000' },
    products: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '32' },
    only: { type: 'string', default: '' },
  },
});
const MAX_MEMORY_MB = 200;
const FIRST_START_MS = 15_000;
const LATER_START_MS = 3_000;
const MAX_REQUESTS = 400_000;

interface Product {
  id: string;
  token: string;
  hasVariants: boolean;
}

interface Call {
  name: string;
  goal: number | undefined;
  server: Server;
  requests(round: number): Uint8Array[];
}

let missed = 0;
await measureStarts();
await measureCalls();
process.exit(missed > 0 ? 1 : 0);

async function measureStarts(): Promise<void> {
  const folder = temporaryFolder();
  const first = await startFeira(folder);
  // The demo store is still being created.
  await delay(1_000);
  await first.stop();
  const later = await startFeira(folder);
  await delay(1_000);
  await later.stop();
  judge(
    'first start to first response',
    `${(first.startMs / 1000).toFixed(2)} s`,
    '< 15 s',
    first.startMs < FIRST_START_MS,
  );
  judge(
    'later start to first response',
    `${(later.startMs / 1000).toFixed(2)} s`,
    '< 3 s',
    later.startMs < LATER_START_MS,
  );
}

async function measureCalls(): Promise<void> {
  const folder = temporaryFolder();
  const postgres = await startEmbeddedPostgres({ folder });
  const begun = performance.now();
  const stores = await seed(postgres.connection, Number(options.stores), Number(options.products));
  const products = await seededProducts(postgres.connection, stores);
  console.log(
    `seeded ${stores.length} stores and ${products.length} products in ${((performance.now() - begun) / 1000).toFixed(0)} s`,
  );

  const hello = await startHello();
  const feira = await startFeira(folder);
  const load = new LoadProcess();
  const calls = callsOf(hello, feira, stores, products);
  const results = new Map<Call, LoadResult[]>(calls.map((call) => [call, []]));
  const rounds = Number(options.rounds);
  // Round 0 is a warm-up: code is compiled, connections are opened, pages are cached.
  for (let round = 0; round <= rounds; round++) {
    for (const call of calls) {
      const result = await load.run({
        port: call.server.port,
        connections: Number(options.connections),
        seconds: Number(options.seconds),
        count: MAX_REQUESTS,
        requests: call.requests(round),
      });
      if (Object.keys(result.unexpected).length > 0)
        throw new Error(
          `${call.name} was not always answered with 200: ${JSON.stringify(result.unexpected)}`,
        );
      if (round > 0) results.get(call)!.push(result);
    }
  }
  report(results);
  const memory = memoryOf(feira.pid);
  if (memory) {
    judge(
      'resident memory at the end',
      `${memory.now.toFixed(0)} MB`,
      `< ${MAX_MEMORY_MB} MB`,
      memory.now < MAX_MEMORY_MB,
    );
    judge(
      'resident memory at its peak',
      `${memory.peak.toFixed(0)} MB`,
      `< ${MAX_MEMORY_MB} MB`,
      memory.peak < MAX_MEMORY_MB,
    );
  }
  load.stop();
  await feira.stop();
  await hello.stop();
  await postgres.close();
}

function callsOf(hello: Server, feira: Server, stores: SeededStore[], products: Product[]): Call[] {
  const withVariations = products.filter((product) => product.hasVariants);
  const simple = products.filter((product) => !product.hasVariants);
  const all: Call[] = [
    { name: 'hello world', goal: undefined, server: hello, requests: () => [requestBytes('GET', '/')] },
    {
      name: 'GET product with 6 variations, 3 images',
      goal: 0.45,
      server: feira,
      requests: () =>
        shuffled(withVariations).map(({ id, token }) => requestBytes('GET', `/api/v1/products/${id}`, token)),
    },
    {
      name: 'GET list of 50',
      goal: 0.12,
      server: feira,
      requests: () => shuffled(stores).map(({ token }) => requestBytes('GET', '/api/v1/products', token)),
    },
    {
      name: 'PATCH stock',
      goal: 0.22,
      server: feira,
      // The stock differs in each round, so that every call is a change with an event.
      requests: (round) =>
        shuffled(simple).map(({ id, token }, i) =>
          requestBytes('PATCH', `/api/v1/products/${id}/stock`, token, {
            quantity: 1000 + round * 7 + (i % 5),
          }),
        ),
    },
  ];
  return all.filter(({ name, goal }) => goal === undefined || name.includes(options.only));
}

async function seededProducts(connection: Connection, stores: SeededStore[]): Promise<Product[]> {
  const tokens = new Map(stores.map(({ workspaceId, token }) => [workspaceId, token]));
  const rows = await query<{ workspace_id: string; id: string; has_variants: boolean }>(
    connection,
    'select workspace_id, id, has_variants from products',
  );
  return rows.map(({ workspace_id, id, has_variants }) => ({
    id,
    token: tokens.get(workspace_id)!,
    hasVariants: has_variants,
  }));
}

function report(results: Map<Call, LoadResult[]>): void {
  const rate = ({ requests, seconds }: LoadResult) => requests / seconds;
  const [hello] = results.values();
  console.log(
    `${options.connections} connections, ${options.rounds} rounds of ${options.seconds} s, medians`,
  );
  for (const [{ name, goal }, rounds] of results) {
    const ratio = median(rounds.map((result, i) => rate(result) / rate(hello![i]!)));
    const figures = [
      `${Math.round(median(rounds.map(rate)))} req/s`.padStart(12),
      `p50 ${median(rounds.map(({ p50 }) => p50)).toFixed(1)} ms`.padStart(12),
      `p99 ${median(rounds.map(({ p99 }) => p99)).toFixed(1)} ms`.padStart(12),
      `${(ratio * 100).toFixed(1)}%`.padStart(8),
    ].join(' ');
    judge(name, figures, goal ? `≥ ${goal * 100}%` : '', goal === undefined || ratio >= goal);
  }
}

function judge(name: string, figures: string, goal: string, met: boolean): void {
  if (!met) missed++;
  console.log(
    `${name.padEnd(42)} ${figures.padEnd(48)} ${goal.padEnd(9)} ${goal && (met ? 'met' : 'MISSED')}`,
  );
}
