import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { migrate } from '../../src/platform/db/migrate.js';
import { raw, sql } from '../../src/platform/db/sql.js';
import { newProduct, newVaried } from '../support/catalog.js';
import { cloneDatabase } from '../support/database.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { until } from '../support/process.js';
import { Random } from '../support/random.js';
import { RandomWrites } from '../support/random-writes.js';
import { sharedFeira } from '../support/shared-feira.js';
import { order } from '../support/shop.js';
import { sized } from '../support/sized.js';

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
});

/** Selects the products and variations whose row in the table of sort values is missing, wrong or left over. */
const DIFFERENCES = `
  select id from products full join product_sort_values s using (workspace_id, id)
  where products.quantity is distinct from s.quantity or products.updated_at is distinct from s.updated_at
  union all
  select id from variations full join variation_sort_values s using (workspace_id, product_id, id)
  where variations.updated_at is distinct from s.updated_at`;

async function listed(path: string): Promise<{ id: string; quantity: number; updatedAt: string }[]> {
  const { status, body } = await store.get(path);
  expect(status).toBe(200);
  return body.data;
}

test('after any concurrent writes, the tables of sort values agree with products and variations, and so do sorted lists', async () => {
  const sold = await newProduct(store, { name: 'Sold', quantity: 1000 });
  const varied = await newVaried(store, { 'sorted-1': 5, 'sorted-2': 6 });
  const line = { productId: sold, variantId: null, quantity: 1 };
  const orders = [await order(feira, store.workspaceId, line), await order(feira, store.workspaceId, line)];
  const sources = Array.from({ length: 4 }, (_, n) => new RandomWrites(new Random(88 + n), orders));
  await Promise.all(
    sources.map(async (source) => {
      for (let n = 0; n < sized(25, 250); n++) {
        const write = source.next();
        const answer = await store.call(write.method, write.path, write.body);
        await source.done(store, write, answer as never);
        if (n % 5 === 0) await order(feira, store.workspaceId, line);
        if (n % 5 === 1) await store.patch(`/products/${varied}/variants/sorted-1/stock`, { quantity: n });
      }
    }),
  );
  const rows = await feira.context.db.background('test').query(sql`${raw(DIFFERENCES)}`);
  expect(rows).toEqual([]);

  const products = await listed('/products?limit=100');
  expect(products.length).toBeGreaterThan(2);
  const byKey = (key: 'quantity' | 'updatedAt') =>
    products
      .toSorted((a, b) => (a[key] === b[key] ? (a.id < b.id ? -1 : 1) : a[key] < b[key] ? -1 : 1))
      .map(({ id }) => id);
  const ids = async (sort: string) => (await listed(`/products?limit=100&sort=${sort}`)).map(({ id }) => id);
  expect(await ids('quantity')).toEqual(byKey('quantity'));
  expect(await ids('-quantity')).toEqual(byKey('quantity').reverse());
  expect(await ids('updatedAt')).toEqual(byKey('updatedAt'));
  expect(await ids('-updatedAt')).toEqual(byKey('updatedAt').reverse());
});

test('no index of products or variations contains a column that a stock write changes', async () => {
  const indexed = await feira.context.db.background('test').query<{ column: string }>(sql`
    select distinct a.attname as column
    from pg_index i
    join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = i.indexrelid
      and d.refclassid = 'pg_class'::regclass and d.refobjid = i.indrelid
    join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
    where i.indrelid in ('products'::regclass, 'variations'::regclass)`);
  const columns = indexed.map(({ column }) => column);
  expect(columns).toEqual(expect.arrayContaining(['name', 'created_at', 'sku']));
  for (const column of ['quantity', 'updated_at', 'document_end']) expect(columns).not.toContain(column);
});

test('an upgrade adds existing products and variations while others are written, and waits for one that is locked', async () => {
  const { connection, drop } = await cloneDatabase();
  const open = async () => {
    const client = new pg.Client(connection);
    await client.connect();
    return client;
  };
  const [locker, writer, observer] = await Promise.all([open(), open(), open()]);
  try {
    // A database in which 0088 and 0089 have just been applied, with rows from before.
    await observer.query(`
      insert into products (workspace_id, id, name, price, quantity) select store, new_id(), 'Product ' || n, 1, n
      from generate_series(1, 1200) n, (select new_id() as store) stores;
      insert into variations (workspace_id, product_id, id, position, combination, options, price)
      select workspace_id, id, new_id(), 0, 'P', '{P}', 1 from products;
      truncate product_sort_values, variation_sort_values;
      delete from schema_migrations where name >= '0090' and name < '0095'`);
    const { rows } = await observer.query<{ id: string }>('select id from products order by id');
    const missing = async () =>
      Number((await observer.query(`select count(*) from (${DIFFERENCES}) d`)).rows[0].count);
    expect(await missing()).toBe(2400);

    const locked = rows[700]!.id;
    await locker.query('begin');
    await locker.query('update products set quantity = quantity + 1, updated_at = now() where id = $1', [
      locked,
    ]);
    const migrating = migrate(connection);
    await until(async () => (await missing()) <= 1900);
    // These products are before, in and after the batch that waits.
    for (const at of [0, 699, 701, 1199])
      await writer.query('update products set quantity = 5000, updated_at = now() where id = $1', [
        rows[at]!.id,
      ]);
    await writer.query('delete from products where id = $1', [rows[1100]!.id]);
    await locker.query('commit');
    expect(await migrating).toContain('0091_fill_variation_sort_values.sql');
    expect(await missing()).toBe(0);
  } finally {
    await Promise.all([locker.end(), writer.end(), observer.end()]);
    await drop();
  }
});
