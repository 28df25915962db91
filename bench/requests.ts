import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from 'feira/dist/platform/embedded-postgres/start.js';
import { bareCalls } from './bare-calls.js';
import { type Call, largeStoreCalls, smallStoreCalls } from './calls.js';
import { checkoutCalls } from './checkout.js';
import type { LoadResult } from './load.js';
import { LoadProcess, memoryOf, type Server, startFeira, startHello, temporaryFolder } from './processes.js';
import { median, requestBytes } from './request-bytes.js';
import { type Filling, query, seed } from './seed.js';

// Measures the throughput of each call as a fraction of the throughput of a bare Fastify "hello world". Feira runs with
// authentication, rate limits, validation, events and logging. One database has one large store, another has many small
// ones. Absolute figures depend on the machine and its load, so the fraction is computed within each round, in which
// Feira and the "hello world" run under the same conditions. Two rows of a service that only reads and writes rows show
// what the machine leaves of that fraction.

const { values: options } = parseArgs({
  options: {
    stores: { type: 'string', default: '1000' },
    products: { type: 'string', default: '100' },
    large: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '32' },
    /** Runs only calls whose name contains this text. "large:", "small:" or "bare:" selects one of the databases. */
    only: { type: 'string', default: '' },
    starts: { type: 'boolean', default: false },
  },
});
const MAX_MEMORY_MB = 200;
const FIRST_START_MS = 2_500;
const LATER_START_MS = 1_200;
const MAX_REQUESTS = 400_000;

let missed = 0;
if (options.starts || options.only === '') await measureStarts();
await measureCalls();
process.exit(missed > 0 ? 1 : 0);

async function measureStarts(): Promise<void> {
  const folder = temporaryFolder();
  const first = await startFeira(folder);
  // The server responds before it has created the demo store. Give it time to do so before it is stopped.
  await delay(1_000);
  await first.stop();
  const later = await startFeira(folder);
  await delay(1_000);
  await later.stop();
  const reportStart = (name: string, ms: number, limit: number) =>
    judge(name, `${(ms / 1000).toFixed(2)} s`, `< ${limit / 1000} s`, ms < limit);
  reportStart('first start: time to first response', first.startMs, FIRST_START_MS);
  reportStart('later start: time to first response', later.startMs, LATER_START_MS);
}

async function measureCalls(): Promise<void> {
  const folder = temporaryFolder();
  const postgres = await startEmbeddedPostgres({ folder });
  const hello = await startHello();
  const servers = new Map<string, Server>();
  const open = async (database: string, stores: number, filling: Filling) => {
    const begun = performance.now();
    await query(postgres.connection, `create database ${database}`);
    const connection = { ...postgres.connection, database };
    const seeded = await seed(connection, stores, filling);
    const { host, user } = connection;
    const server = await startFeira(
      folder,
      `postgresql:///${database}?host=${encodeURIComponent(host)}&user=${user}`,
    );
    servers.set(database, server);
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    console.log(`seeded ${stores} stores of ${filling.products} products and started Feira in ${seconds} s`);
    return { server, connection, stores: seeded };
  };
  const large = Number(options.large);
  await query(postgres.connection, 'create database bare');
  const bare = await bareCalls({ ...postgres.connection, database: 'bare' });
  const all: Call[] = [...bare];
  if (measures('small:'))
    all.push(
      ...(await smallStoreCalls(
        await open('small', Number(options.stores), { products: Number(options.products) }),
      )),
    );
  if (measures('large:')) {
    const filling = { products: large, orders: large, variedEvery: 2, variations: 7, images: 2 };
    const opened = await open('large', 1, filling);
    all.push(...(await largeStoreCalls(opened)), ...(await checkoutCalls(opened)));
  }
  const calls: Call[] = [
    { name: 'hello world', goal: undefined, server: hello, requests: () => [requestBytes('GET', '/')] },
    ...all.filter(({ name }) => name.includes(options.only)),
  ];
  const load = new LoadProcess();
  const results = new Map<Call, LoadResult[]>(calls.map((call) => [call, []]));
  // Round 0 is a warm-up: code is compiled and optimized, connections are opened and pages are cached. It is as long as
  // the others, because V8 optimizes a call only after some seconds under load.
  for (let round = 0; round <= Number(options.rounds); round++)
    for (const call of calls) {
      const result = await measure(load, call, round);
      if (round > 0) results.get(call)!.push(result);
    }
  report(results);
  for (const [database, server] of servers) reportMemory(database, server);
  load.stop();
  for (const server of servers.values()) await server.stop();
  await hello.stop();
  await bare[0]!.server.stop();
  await postgres.close();
}

/** Returns whether --only can select calls with this prefix. */
function measures(prefix: string): boolean {
  return !/^(bare|small|large):/.test(options.only) || options.only.startsWith(prefix);
}

async function measure(load: LoadProcess, call: Call, round: number): Promise<LoadResult> {
  const connections = Number(options.connections);
  const seconds = Number(options.seconds);
  const requests = call.requests(round);
  const count = call.isOnce ? requests.length : MAX_REQUESTS;
  const result = call.perform
    ? await call.perform({ connections, seconds })
    : await load.run({ port: call.server.port, connections, seconds, count, requests });
  const { [call.status ?? 200]: _, ...unexpected } = result.statuses;
  if (Object.keys(unexpected).length > 0)
    throw new Error(`${call.name} had unexpected responses: ${JSON.stringify(unexpected)}`);
  return result;
}

function reportMemory(database: string, { pid }: Server): void {
  const memory = memoryOf(pid);
  if (!memory) return;
  const { now, peak } = memory;
  judge(
    `${database}: resident memory at the end`,
    `${now.toFixed(0)} MB, peak ${peak.toFixed(0)} MB`,
    `< ${MAX_MEMORY_MB} MB`,
    now < MAX_MEMORY_MB,
  );
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
      `${Math.round(median(rounds.map(rate)))} /s`.padStart(12),
      `p50 ${median(rounds.map(({ p50 }) => p50)).toFixed(1)} ms`.padStart(12),
      `p99 ${median(rounds.map(({ p99 }) => p99)).toFixed(1)} ms`.padStart(12),
      `${(ratio * 100).toFixed(1)}%`.padStart(8),
    ].join(' ');
    judge(
      name,
      figures,
      goal ? `≥ ${Number((goal * 100).toFixed(1))}%` : '',
      goal === undefined || ratio >= goal,
    );
  }
}

function judge(name: string, figures: string, goal: string, met: boolean): void {
  if (!met) missed++;
  console.log(
    `${name.padEnd(46)} ${figures.padEnd(48)} ${goal.padEnd(9)} ${goal && (met ? 'met' : 'MISSED')}`,
  );
}
