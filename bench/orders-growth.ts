import { query, seed } from './seed.js';
import { ORDERS_PER_SURNAME } from './seed-orders.js';
import { compareSizes, movedCursors, type Size, secondPages } from './sizes.js';

// Measures how much slower reads become with a hundred times as many orders in one store. The small and the large store
// have the same number of orders per day; those of the large store cover more days.

await compareSizes({
  records: 'orders',
  requestsPerRound: 200,
  seed: async (connection, count) => (await seed(connection, 1, { products: 0, orders: count }))[0]!,
  callsOf,
});

async function callsOf(size: Size): Promise<Map<string, string[]>> {
  const { connection, count } = size;
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
    [count],
  );
  const surnames = await query<{ surname: string }>(
    connection,
    'select seed_line(n) as surname from generate_series(1, $1::bigint, greatest(1, $1::bigint / 300)) n',
    [Math.floor(count / ORDERS_PER_SURNAME)],
  );
  const searches = (path: string): [string, string[]][] => [
    [`${path}, search for a surname`, surnames.map(({ surname }) => `${path}?search=${surname}`)],
    [`${path}, search for a document`, some.map(({ document }) => `${path}?search=${document}`)],
  ];
  return new Map([
    ['/orders/{id}', some.map(({ id }) => `/orders/${id}`)],
    ['/orders, first page', ['/orders']],
    ['/orders, any page', Array.from({ length: 200 }, (_, i) => `/orders?page=${i + 1}`)],
    ['/orders, deep cursor', await deepCursors(size, '/orders', 'created_at')],
    ['/orders, first page by updatedAt', ['/orders?sort=updatedAt']],
    ['/orders, delta sync at the end', await lastChanges(size)],
    ['/orders, changed on one day', some.map(({ day }) => `/orders?dateType=updated&from=${day}&to=${day}`)],
    ['/orders, placed on one day', some.map(({ day }) => `/orders?from=${day}&to=${day}`)],
    ['/orders, paid ones', ['/orders?status=paid']],
    ...searches('/orders'),
    ['/orders, search for a number', some.map(({ number }) => `/orders?search=${number}`)],
    [
      '/orders, search for a shipment code',
      some.flatMap(({ code }) => (code === null ? [] : [`/orders?search=${code}`])),
    ],
    ['/customers, first page', ['/customers']],
    ['/customers, deep cursor', await deepCursors(size, '/customers', 'last_order_at')],
    ...searches('/customers'),
  ]);
}

/** Returns paths for delta sync, with cursors near the latest change. */
async function lastChanges(size: Size): Promise<string[]> {
  const [first] = await secondPages(size, ['/orders?sort=updatedAt']);
  const parts = JSON.parse(Buffer.from(first!.split('cursor=')[1]!, 'base64url').toString()) as string[];
  const epoch = parts[3]!.split('.')[0];
  const places = await query<{ id: string; change: string }>(
    size.connection,
    'select order_id as id, change from order_changes order by workspace_id, change desc offset 100 limit 200',
  );
  return movedCursors(
    size,
    '/orders?sort=updatedAt',
    places.map(({ id, change }) => ({ id, value: `${epoch}.${change}` })),
  );
}

/** Returns paths with cursors near the end of the list. */
async function deepCursors(size: Size, path: string, column: string): Promise<string[]> {
  const table = path.startsWith('/customers') ? 'customers' : 'orders';
  const places = await query<{ id: string; value: Date | string }>(
    size.connection,
    `select id, ${column} as value from ${table} order by workspace_id, ${column}, id offset 100 limit 200`,
  );
  return movedCursors(size, path, places);
}
