import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from 'feira/dist/platform/embedded-postgres/start.js';
import { ORDERS_PER_SURNAME, seedOrders } from './orders-seed.js';
import { LoadProcess, type Server, startFeira, temporaryFolder } from './processes.js';
import { median, requestBytes, shuffled } from './request-bytes.js';
import { type Connection, query, type SeededStore } from './seed.js';

// What a hundred times as many orders of one store cost those who read them. Orders come at the same pace in both, so
// that a day holds as many; the large store has been there for longer.

const { values: options } = parseArgs({
  options: {
    small: { type: 'string', default: '10000' },
    large: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '7' },
    only: { type: 'string', default: '' },
    requests: { type: 'string', default: '200' },
  },
});
const LIMIT = 1.5;

interface Size {
  store: SeededStore;
  server: Server;
  calls: Map<string, string[]>;
}

const folder = temporaryFolder();
const postgres = await startEmbeddedPostgres({ folder });
const small = await prepare('orders_small', Number(options.small));
const large = await prepare('orders_large', Number(options.large));
const load = new LoadProcess();
let missed = 0;
for (const name of small.calls.keys()) if (name.includes(options.only)) await compare(name);
load.stop();
await small.server.stop();
await large.server.stop();
await postgres.close();
process.exit(missed > 0 ? 1 : 0);

async function prepare(database: string, orders: number): Promise<Size> {
  const begun = performance.now();
  await query(postgres.connection, `create database ${database}`);
  const connection = { ...postgres.connection, database };
  const store = await seedOrders(connection, orders);
  const { host, user } = connection;
  const server = await startFeira(
    folder,
    `postgresql:///${database}?host=${encodeURIComponent(host)}&user=${user}`,
  );
  console.log(`seeded ${orders} orders in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  return { store, server, calls: await callsOf(connection, server, store, orders) };
}

/** Paths by what they ask for. Each asks for many different things, so that none is answered from a warm page alone. */
async function callsOf(
  connection: Connection,
  server: Server,
  store: SeededStore,
  orders: number,
): Promise<Map<string, string[]>> {
  const some = await query<{
    number: string;
    document: string;
    day: string;
    id: string;
    code: string | null;
  }>(
    connection,
    `select id, number, customer->>'document' as document, to_char(updated_at, 'YYYY-MM-DD') as day, code_shipping as code
     from orders where number % greatest(1, $1::bigint / 300) = 0`,
    [orders],
  );
  const surnames = await query<{ surname: string }>(
    connection,
    'select seed_line(n) as surname from generate_series(1, $1::bigint, greatest(1, $1::bigint / 300)) n',
    [Math.floor(orders / ORDERS_PER_SURNAME)],
  );
  const deep = (path: string, column: string, cast: string) =>
    deepCursors(server, store, connection, path, column, cast);
  const searches = (path: string): [string, string[]][] => [
    [`${path}, search a surname`, surnames.map(({ surname }) => `${path}?search=${surname}`)],
    [`${path}, search a document`, some.map(({ document }) => `${path}?search=${document}`)],
  ];
  return new Map([
    ['/orders/{id}', some.map(({ id }) => `/orders/${id}`)],
    ['/orders, first page', ['/orders']],
    ['/orders, deep cursor', await deep('/orders', 'created_at', '')],
    ['/orders, first page by updatedAt', ['/orders?sort=updatedAt']],
    ['/orders, delta sync at the end', await deep('/orders?sort=updatedAt', 'changed_xid', '::text')],
    ['/orders, changed on one day', some.map(({ day }) => `/orders?dateType=updated&from=${day}&to=${day}`)],
    ['/orders, placed on one day', some.map(({ day }) => `/orders?from=${day}&to=${day}`)],
    ['/orders, paid ones', ['/orders?status=paid']],
    ...searches('/orders'),
    ['/orders, search a number', some.map(({ number }) => `/orders?search=${number}`)],
    [
      '/orders, search a shipment code',
      some.flatMap(({ code }) => (code === null ? [] : [`/orders?search=${code}`])),
    ],
    ['/customers, first page', ['/customers']],
    ['/customers, deep cursor', await deep('/customers', 'last_order_at', '')],
    ...searches('/customers'),
  ]);
}

/** Cursors near the far end: one that was given out, moved to where the list is nearly over. */
async function deepCursors(
  { port }: Server,
  { token }: SeededStore,
  connection: Connection,
  path: string,
  column: string,
  cast: string,
): Promise<string[]> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { meta } = (await response.json()) as { meta: { nextCursor: string } };
  const parts = JSON.parse(Buffer.from(meta.nextCursor, 'base64url').toString()) as unknown[];
  const table = path.startsWith('/customers') ? 'customers' : 'orders';
  const direction = path.includes('sort=') ? 'desc' : 'asc';
  const rows = await query<{ id: string; value: Date | string }>(
    connection,
    `select id, ${column}${cast} as value from ${table} order by workspace_id, ${column} ${direction}, id offset 100 limit 200`,
  );
  return rows.map(({ id, value }) => {
    const moved = [...parts.slice(0, 2), value, id];
    return `${path.split('?')[0]}?cursor=${Buffer.from(JSON.stringify(moved)).toString('base64url')}`;
  });
}

/** Small and large alternate, so that whoever else uses the machine slows down both. */
async function compare(name: string): Promise<void> {
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
        count: Number(options.requests),
        requests: shuffled(size.calls.get(name)!).map((path) =>
          requestBytes('GET', `/api/v1${path}`, size.store.token),
        ),
      });
      if (Object.keys(result.unexpected).length > 0)
        throw new Error(`${name} was not always answered with 200: ${JSON.stringify(result.unexpected)}`);
      if (round > 0) medians.push(result.p50);
    }
  }
  const [before, after] = [median(times.get(small)!), median(times.get(large)!)];
  const factor = median(times.get(large)!.map((time, round) => time / times.get(small)![round]!));
  if (factor > LIMIT) missed++;
  console.log(
    name.padEnd(34),
    `${before.toFixed(2)} ms`.padStart(10),
    `${after.toFixed(2)} ms`.padStart(10),
    `× ${factor.toFixed(2)}`.padStart(8),
    factor <= LIMIT ? 'met' : 'MISSED',
  );
}
