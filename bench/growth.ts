import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from 'feira/dist/platform/embedded-postgres/start.js';
import { LoadProcess, type Server, startFeira, temporaryFolder } from './processes.js';
import { median, requestBytes, shuffled } from './request-bytes.js';
import { type Connection, PRODUCTS_PER_LINE, query, type SeededStore, seed } from './seed.js';

// What a hundred times as many products cost. One store has them all: the hard case, because every index of a store
// starts with its id and so is no smaller than the table.

const { values: options } = parseArgs({
  options: {
    small: { type: 'string', default: '10000' },
    large: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '7' },
    only: { type: 'string', default: '' },
    requests: { type: 'string', default: '300' },
  },
});
const LIMIT = 1.5;
const NOT_JUDGED = 'search, a word in every';
const SORTS = [
  'name',
  '-name',
  'price',
  '-price',
  'quantity',
  '-quantity',
  'createdAt',
  '-createdAt',
  'updatedAt',
  '-updatedAt',
];

interface Size {
  store: SeededStore;
  server: Server;
  calls: Map<string, string[]>;
}

const folder = temporaryFolder();
const postgres = await startEmbeddedPostgres({ folder });
const small = await prepare('growth_small', Number(options.small));
const large = await prepare('growth_large', Number(options.large));
const load = new LoadProcess();
let missed = 0;
for (const name of small.calls.keys()) if (name.includes(options.only)) await compare(name);
load.stop();
await small.server.stop();
await large.server.stop();
await postgres.close();
process.exit(missed > 0 ? 1 : 0);

async function prepare(database: string, products: number): Promise<Size> {
  const begun = performance.now();
  await query(postgres.connection, `create database ${database}`);
  const connection = { ...postgres.connection, database };
  const [store] = await seed(connection, 1, products);
  const { host, user } = connection;
  const server = await startFeira(
    folder,
    `postgresql:///${database}?host=${encodeURIComponent(host)}&user=${user}`,
  );
  const size = { store: store!, server, calls: await callsOf(connection, server, store!, products) };
  console.log(`seeded ${products} products in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  return size;
}

/** Paths by what they ask for. Each asks for many different things, so that none is answered from a warm page alone. */
async function callsOf(
  connection: Connection,
  server: Server,
  store: SeededStore,
  products: number,
): Promise<Map<string, string[]>> {
  const ids = await query<{ id: string }>(
    connection,
    `select id from products where split_part(name, ' ', -1)::bigint % greatest(1, $1::bigint / 400) = 0`,
    [products],
  );
  const lines = await query<{ line: string }>(
    connection,
    'select seed_line(n) as line from generate_series(1, $1::bigint, greatest(1, $1::bigint / 300)) n',
    [products / PRODUCTS_PER_LINE],
  );
  const codes = shuffled(Array.from({ length: 300 }, (_, i) => 1 + Math.floor((i * products) / 300)));
  return new Map([
    ['detail', ids.map(({ id }) => `/${id}`)],
    ['search, a word in 20 products', lines.map(({ line }) => `?search=${line}`)],
    [`${NOT_JUDGED} 12th product`, ['?search=camiseta', '?search=oculos', '?search=mochila']],
    ['search, one sku', codes.map((n) => `?search=SKU-${String(n).padStart(7, '0')}`)],
    ['filter, one sku', codes.map((n) => `?sku=SKU-${String(n).padStart(7, '0')}`)],
    ['list, first page', ['']],
    ['list, deep cursor', await deepCursors(server, store, connection)],
    ...SORTS.map((sort): [string, string[]] => [`list, first page by ${sort}`, [`?sort=${sort}`]]),
  ]);
}

/** Cursors near the far end of the default order: one that was given out, moved to where the last products are. */
async function deepCursors(
  { port }: Server,
  { token }: SeededStore,
  connection: Connection,
): Promise<string[]> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/products`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { meta } = (await response.json()) as { meta: { nextCursor: string } };
  const parts = JSON.parse(Buffer.from(meta.nextCursor, 'base64url').toString()) as unknown[];
  const rows = await query<{ id: string; created_at: Date }>(
    connection,
    'select id, created_at from products order by workspace_id, created_at, id offset 100 limit 200',
  );
  return rows.map(({ id, created_at }) => {
    const moved = [...parts.slice(0, 2), created_at.toISOString(), id];
    return `?cursor=${Buffer.from(JSON.stringify(moved)).toString('base64url')}`;
  });
}

/** Small and large alternate, so that whoever else uses the machine slows down both. */
async function compare(name: string): Promise<void> {
  const judged = !name.startsWith(NOT_JUDGED);
  const times = new Map<Size, number[]>([
    [small, []],
    [large, []],
  ]);
  // Round 0 warms up.
  for (let round = 0; round <= Number(options.rounds); round++) {
    for (const [size, medians] of times) {
      const result = await load.run({
        port: size.server.port,
        connections: 1,
        seconds: 30,
        count: judged ? Number(options.requests) : 20,
        requests: shuffled(size.calls.get(name)!).map((path) =>
          requestBytes('GET', `/api/v1/products${path}`, size.store.token),
        ),
      });
      if (Object.keys(result.unexpected).length > 0)
        throw new Error(`${name} was not always answered with 200: ${JSON.stringify(result.unexpected)}`);
      if (round > 0) medians.push(result.p50);
    }
  }
  const [before, after] = [median(times.get(small)!), median(times.get(large)!)];
  const factor = median(times.get(large)!.map((time, round) => time / times.get(small)![round]!));
  const met = factor <= LIMIT;
  if (judged && !met) missed++;
  console.log(
    name.padEnd(34),
    `${before.toFixed(2)} ms`.padStart(10),
    `${after.toFixed(2)} ms`.padStart(10),
    `× ${factor.toFixed(2)}`.padStart(8),
    judged ? (met ? 'met' : 'MISSED') : 'not judged',
  );
}
