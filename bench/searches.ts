import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from 'feira/dist/platform/embedded-postgres/start.js';
import { LoadProcess, startFeira, temporaryFolder } from './processes.js';
import { requestBytes } from './request-bytes.js';
import { query, seed } from './seed.js';

// Measures how anonymous two-letter searches in the shop of a large store slow down reads of another store. The
// searches come from 5,000 IP addresses, because the limit per address would reject most searches from a single one.

const { values: options } = parseArgs({
  options: {
    products: { type: 'string', default: '200000' },
    seconds: { type: 'string', default: '10' },
    searchers: { type: 'string', default: '32' },
  },
});
const ADDRESSES = 5_000;
const READERS = 4;
const seconds = Number(options.seconds);

const folder = temporaryFolder();
const postgres = await startEmbeddedPostgres({ folder });
const [, other] = await seed(postgres.connection, 2, { products: Number(options.products) });
const ids = await query<{ id: string }>(
  postgres.connection,
  'select id from products where workspace_id = $1 order by id limit 500',
  [other!.workspaceId],
);
const { host, user, database } = postgres.connection;
process.env.TRUSTED_PROXIES = '127.0.0.1';
const server = await startFeira(
  folder,
  `postgresql:///${database}?host=${encodeURIComponent(host)}&user=${user}`,
);
const reading = new LoadProcess();
const searching = new LoadProcess();

const reads = ids.map(({ id }) => requestBytes('GET', `/api/v1/products/${id}`, other!.token));
const letters = [...'abcdefghijlmnoprstuv'];
const pairs = letters.flatMap((first) => letters.map((second) => first + second));
const searches = Array.from({ length: ADDRESSES }, (_, i) => {
  const address = `10.${i >> 8}.${i & 255}.7`;
  const request = Buffer.from(requestBytes('GET', `/s/bench-1?q=${pairs[i % pairs.length]}`)).toString();
  return Buffer.from(request.replace('\r\n\r\n', `\r\nX-Forwarded-For: ${address}\r\n\r\n`));
});

await read();
console.log(`product reads in a store that is not searched, ${READERS} connections`);
print('without searches', await read());
const flood = searching.run({
  port: server.port,
  connections: Number(options.searchers),
  seconds: seconds + 2,
  count: 1_000_000,
  requests: searches,
});
print(`with ${options.searchers} concurrent searches`, await read());
const { requests, statuses } = await flood;
console.log(`searches: ${requests}, by status ${JSON.stringify(statuses)}`);
reading.stop();
searching.stop();
await server.stop();
await postgres.close();
process.exit(0);

function read() {
  return reading.run({ port: server.port, connections: READERS, seconds, count: 1_000_000, requests: reads });
}

function print(name: string, result: Awaited<ReturnType<typeof read>>): void {
  const { requests, p50, p99, statuses } = result;
  const rate = Math.round(requests / result.seconds);
  console.log(
    `${name}: ${rate}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${JSON.stringify(statuses)}`,
  );
}
