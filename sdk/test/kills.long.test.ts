import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../server/src/platform/db/sql.js';
import { Feira } from '../src/client.js';
import { RestartableServer } from './support/restartable-server.js';

// The server is killed during long operations, and restarting it takes a long time on a busy machine.
const PATIENT = { maxAttempts: 20, timeoutMs: 20_000 };
const LINES = 5_000;
const SIMPLE = 3_000;

let server: RestartableServer;
let workspaceId: string;
let token: string;
beforeAll(async () => {
  server = await RestartableServer.open();
  ({ workspaceId, token } = await server.store());
  await fillStore();
});
afterAll(() => server.close());

/**
 * Adds 5 products with 1,000 variations each, and 3,000 simple products whose texts together exceed the buffers of a
 * socket.
 */
async function fillStore(): Promise<void> {
  const client = new Feira({ baseUrl: server.url, token });
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index));
  for (let p = 0; p < 5; p++) {
    const { id } = await client.products.create({ name: `Product ${p}`, price: 1 });
    await client.variants.put(id, {
      types: [
        { name: 'A', options: numbers(10) },
        { name: 'B', options: numbers(100) },
      ],
      combinations: numbers(10).flatMap((a) =>
        numbers(100).map((b) => ({ options: [a, b], sku: `S${p}-${a}-${b}`, quantity: 7 })),
      ),
    });
  }
  // Inserted in batches, because a statement may take at most four seconds.
  for (let first = 1; first < SIMPLE; first += 100)
    await server.db.store('test').autocommit.query(sql`
      insert into products (workspace_id, id, name, price, description)
      select ${workspaceId}, new_id(), 'Simple ' || n, 1,
        (select string_agg(md5(n || '.' || i), '') from generate_series(1, 180) i)
      from generate_series(${first}::integer, ${first + 99}::integer) n`);
}

test('a stock update of 5,000 entries loses and duplicates nothing when the server is killed twice', async () => {
  const events = () =>
    server.db.store('test').query<{ count: number }>(sql`
      select count(*)::int as count from (
        select 1 from events where workspace_id = ${workspaceId} and event = 'stock.updated'
        union all select 1 from outbox where workspace_id = ${workspaceId} and event = 'stock.updated') each`);
  const [before] = await events();
  let calls = 0;
  const restarts: Promise<void>[] = [];
  const client = new Feira({
    baseUrl: server.url,
    token,
    ...PATIENT,
    fetch: (input, init) => {
      const sent = fetch(input, init);
      // The first kill happens while the third call is sent, the second probably while the server processes the eighth.
      if (++calls === 3) restarts.push(server.killAndRestart());
      if (calls === 8) setTimeout(() => restarts.push(server.killAndRestart()), 30);
      return sent;
    },
  });
  const skus = await server.db.store('test').query<{ sku: string }>(sql`
    select sku from variations where workspace_id = ${workspaceId} order by sku`);
  expect(skus).toHaveLength(LINES);
  const { lines, failed } = await client.stock.set(skus.map(({ sku }) => ({ sku, delta: 1 })));
  await Promise.all(restarts);
  expect(restarts).toHaveLength(2);
  expect(failed).toEqual([]);
  expect(lines.map(({ sku }) => sku)).toEqual(skus.map(({ sku }) => sku));
  const balances = await server.db.store('test').query<{ quantity: number; count: number }>(sql`
    select quantity, count(*)::int as count from variations where workspace_id = ${workspaceId} group by quantity`);
  expect(balances).toEqual([{ quantity: 8, count: LINES }]);
  const [after] = await events();
  expect(after!.count - before!.count).toBe(LINES);
});

test('a snapshot is complete although the server is killed in the middle, and its events follow without a gap', async () => {
  const client = new Feira({ baseUrl: server.url, token, ...PATIENT });
  const writer = new Feira({ baseUrl: server.url, token, ...PATIENT });
  let products = new Map<string, number>();
  let restart: Promise<void> | undefined;
  let restarts = 0;
  const snapshot = client.products.snapshot({
    onRestart() {
      restarts++;
      products = new Map();
    },
  });
  for await (const product of snapshot) {
    products.set(product.id, product.quantity);
    if (products.size === 100) restart ??= server.killAndRestart();
    // While this loop pauses, the server can send only as much as the buffers hold, so it does not finish before it is
    // killed.
    if (restarts === 0 && products.size === 101) await restart;
  }
  await restart;
  expect(restarts).toBeGreaterThanOrEqual(1);
  const rows = await server.db
    .store('test')
    .query<{ id: string }>(sql`select id from products where workspace_id = ${workspaceId}`);
  expect([...products.keys()].sort()).toEqual(rows.map(({ id }) => id).sort());
  const changed = [...products.keys()].slice(0, 3);
  for (const id of changed) await writer.products.update(id, { price: 2 });
  const seen: string[] = [];
  for await (const { event, data } of snapshot.events()) seen.push(`${event} ${(data as { id: string }).id}`);
  expect(seen).toEqual(changed.map((id) => `product.updated ${id}`));
});
