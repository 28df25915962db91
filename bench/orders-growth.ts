import { ORDERS_PER_SURNAME, seedOrders } from './orders-seed.js';
import { query } from './seed.js';
import { compareSizes, movedCursors, type Size } from './sizes.js';

// Measures the cost of a hundred times as many orders in one store for its readers. Both stores get orders at the
// same rate, so a day has the same number of orders; the large store has existed for longer.

await compareSizes({ things: 'orders', requestsPerRound: 200, seed: seedOrders, callsOf });

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
    [`${path}, search a surname`, surnames.map(({ surname }) => `${path}?search=${surname}`)],
    [`${path}, search a document`, some.map(({ document }) => `${path}?search=${document}`)],
  ];
  return new Map([
    ['/orders/{id}', some.map(({ id }) => `/orders/${id}`)],
    ['/orders, first page', ['/orders']],
    ['/orders, deep cursor', await deepCursors(size, '/orders', 'created_at')],
    ['/orders, first page by updatedAt', ['/orders?sort=updatedAt']],
    [
      '/orders, delta sync at the end',
      await deepCursors(size, '/orders?sort=updatedAt', 'changed_xid', '::text'),
    ],
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
    ['/customers, deep cursor', await deepCursors(size, '/customers', 'last_order_at')],
    ...searches('/customers'),
  ]);
}

/** Cursors near the end of the list. */
async function deepCursors(size: Size, path: string, column: string, cast = ''): Promise<string[]> {
  const table = path.startsWith('/customers') ? 'customers' : 'orders';
  const direction = path.includes('sort=') ? 'desc' : 'asc';
  const places = await query<{ id: string; value: Date | string }>(
    size.connection,
    `select id, ${column}${cast} as value from ${table} order by workspace_id, ${column} ${direction}, id offset 100 limit 200`,
  );
  return movedCursors(size, path, places);
}
