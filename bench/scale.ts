import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from 'feira/dist/platform/embedded-postgres/start.js';
import { type Call, smallStoreCalls } from './calls.js';
import { LoadProcess, type Server, startFeira, temporaryFolder } from './processes.js';
import { query, seed } from './seed.js';

// Measures how throughput grows with the number of API processes on one database. All processes, PostgreSQL and the
// load generators share the machine, so throughput stops growing once all cores are busy.

const { values: options } = parseArgs({
  options: {
    processes: { type: 'string', default: '1,2,4' },
    stores: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '32' },
  },
});

const folder = temporaryFolder();
const postgres = await startEmbeddedPostgres({ folder });
await query(postgres.connection, 'create database scale');
const connection = { ...postgres.connection, database: 'scale' };
const stores = await seed(connection, Number(options.stores), { products: 100 });
const { host, user } = connection;
const url = `postgresql:///scale?host=${encodeURIComponent(host)}&user=${user}`;
const first = new Map<string, number>();
for (const count of options.processes.split(',').map(Number)) {
  const servers: Server[] = [];
  for (let n = 0; n < count; n++) servers.push(await startFeira(folder, url));
  const loads = servers.map(() => new LoadProcess());
  const calls = await Promise.all(servers.map((server) => smallStoreCalls({ server, connection, stores })));
  for (const [index, { name }] of calls[0]!.entries()) {
    const perProcess = calls.map((each) => each[index]!);
    await run(loads, perProcess, 0, 1);
    const rate = await run(loads, perProcess, count, Number(options.seconds));
    if (!first.has(name)) first.set(name, rate);
    console.log(
      `${count} API ${count === 1 ? 'process' : 'processes'}`.padEnd(18),
      name.padEnd(34),
      `${Math.round(rate)} req/s`.padStart(12),
      `× ${(rate / first.get(name)!).toFixed(2)}`,
    );
  }
  for (const load of loads) load.stop();
  for (const server of servers) await server.stop();
}
await postgres.close();
process.exit(0);

/** Returns the sum of the rates of all processes. The connections are divided among them. */
async function run(loads: LoadProcess[], calls: Call[], round: number, seconds: number): Promise<number> {
  const results = await Promise.all(
    calls.map((call, n) =>
      loads[n]!.run({
        port: call.server.port,
        connections: Math.max(1, Math.floor(Number(options.connections) / calls.length)),
        seconds,
        count: 400_000,
        // Each load generator writes different quantities, so that every write changes the stock.
        requests: call.requests(round * calls.length + n),
      }),
    ),
  );
  for (const { statuses } of results)
    if (Object.keys(statuses).join() !== '200')
      throw new Error(`not every response was a 200: ${JSON.stringify(statuses)}`);
  return results.reduce((sum, { requests, seconds: took }) => sum + requests / took, 0);
}
