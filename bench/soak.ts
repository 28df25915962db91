import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from 'feira/dist/platform/embedded-postgres/start.js';
import { largeStoreCalls } from './calls.js';
import { LoadProcess, memoryOf, startFeira, temporaryFolder } from './processes.js';
import { query, seed } from './seed.js';

// Sends many kinds of calls to one large store, in turn, for many minutes. After the first fifth of that time, the
// memory of the server process may grow by at most 20 MB in total.

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    products: { type: 'string', default: '10000' },
    connections: { type: 'string', default: '32' },
  },
});
const MAX_GROWTH_MB = 20;

const folder = temporaryFolder();
const postgres = await startEmbeddedPostgres({ folder });
await query(postgres.connection, 'create database soak');
const connection = { ...postgres.connection, database: 'soak' };
const products = Number(options.products);
const stores = await seed(connection, 1, {
  products,
  orders: products,
  variedEvery: 2,
  variations: 7,
  images: 2,
});
const { host, user } = connection;
const server = await startFeira(folder, `postgresql:///soak?host=${encodeURIComponent(host)}&user=${user}`);
const calls = await largeStoreCalls({ server, connection, stores });
const load = new LoadProcess();
const milliseconds = Number(options.minutes) * 60_000;
const begun = performance.now();
let settled: number | undefined;
let requests = 0;
for (let round = 1; performance.now() - begun < milliseconds; round++) {
  for (const call of calls) {
    const pending = call.requests(round);
    const result = await load.run({
      port: server.port,
      connections: Number(options.connections),
      seconds: 1,
      count: call.isOnce ? pending.length : 400_000,
      requests: pending,
    });
    const expected = String(call.status ?? 200);
    if (Object.keys(result.statuses).join() !== expected)
      throw new Error(`${call.name}: ${JSON.stringify(result.statuses)}`);
    requests += result.requests;
  }
  const elapsed = performance.now() - begun;
  const memory = memoryOf(server.pid)?.now ?? 0;
  if (elapsed > milliseconds / 5) settled ??= memory;
  console.log(
    `${(elapsed / 60_000).toFixed(1)} min`.padStart(9),
    `${requests} requests`.padStart(16),
    `${memory.toFixed(0)} MB`,
  );
}
const growth = (memoryOf(server.pid)?.now ?? 0) - (settled ?? 0);
console.log(
  `memory growth after the first fifth of the time: ${growth.toFixed(0)} MB (limit ${MAX_GROWTH_MB})`,
);
load.stop();
await server.stop();
await postgres.close();
process.exit(growth > MAX_GROWTH_MB ? 1 : 0);
