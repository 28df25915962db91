import { hashOfSecret, newSecret } from 'feira/dist/oauth/secrets.js';
import { migrate } from 'feira/dist/platform/db/migrate.js';
import pg from 'pg';
import { IMAGES, PRODUCTS, SEARCH, VARIATIONS, WORDS } from './seed-catalog.js';
import { CUSTOMERS, ORDER_CHANGES, ORDER_SEARCH, ORDERS, PAYMENTS } from './seed-orders.js';

export interface Connection {
  host: string;
  port: number;
  user: string;
  database: string;
}

export interface SeededStore {
  workspaceId: string;
  token: string;
}

const SCOPES = [
  'products:read',
  'products:write',
  'stock:write',
  'categories:read',
  'orders:read',
  'customers:read',
  'webhooks:manage',
];
const BUDGET = 100_000_000;

/** The contents of each store. */
export interface Filling {
  products: number;
  orders?: number;
  /** How often a product has variations. With 3, every third product has them. */
  variedEvery?: number;
  variations?: number;
  images?: number;
}

const TABLES = {
  catalog: [
    'products',
    'product_sort_values',
    'variations',
    'variation_sort_values',
    'product_images',
    'product_search',
  ],
  orders: ['orders', 'customers', 'order_search', 'order_changes'],
};

/** Fills an empty database. By default every third product has 6 variations, and each product has 3 images. */
export async function seed(
  connection: Connection,
  stores: number,
  { products, orders = 0, variedEvery = 3, variations = 6, images = 3 }: Filling,
): Promise<SeededStore[]> {
  await migrate(connection);
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(
      `set synchronous_commit = off; set maintenance_work_mem = '512MB'; set work_mem = '256MB'`,
    );
    const made = await makeStores(client, stores);
    await client.query(WORDS);
    const indexes = await dropIndexes(client, [...TABLES.catalog, ...TABLES.orders]);
    if (products > 0) {
      await client.query(PRODUCTS, [products, variedEvery, variations]);
      await client.query(VARIATIONS, [variations]);
      // This trigger counts the images of a product, which needs a table scan while the index is missing.
      await client.query('alter table product_images disable trigger product_images_limit');
      await client.query(IMAGES, [images]);
      await client.query('alter table product_images enable trigger product_images_limit');
      await client.query(SEARCH);
    }
    if (orders > 0) {
      // This trigger would add a row to the outbox for each order.
      await client.query('alter table orders disable trigger orders_added_enqueued');
      await client.query(ORDERS, [orders]);
      await client.query('alter table orders enable trigger orders_added_enqueued');
      await client.query(CUSTOMERS);
      await client.query(ORDER_SEARCH);
      await client.query(ORDER_CHANGES);
      await client.query(PAYMENTS);
      // The next order must get an unused number.
      await client.query('update workspaces set last_order_number = 1000 + $1', [orders]);
    }
    for (const index of indexes) await client.query(index);
    await client.query('drop table seed_stores');
    // Query plans and index-only scans depend on this, and autovacuum would do it only minutes later.
    await client.query('vacuum analyze');
    await client.query('checkpoint');
    return made;
  } finally {
    await client.end();
  }
}

export async function query<R extends pg.QueryResultRow>(
  connection: Connection,
  text: string,
  values: unknown[] = [],
): Promise<R[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query<R>(text, values)).rows;
  } finally {
    await client.end();
  }
}

async function makeStores(client: pg.Client, count: number): Promise<SeededStore[]> {
  const tokens = Array.from({ length: count }, () => newSecret('access'));
  await client.query(`insert into apps (client_id, name, redirect_uris) values ('app_bench', 'Bench', '{}')`);
  await client.query('create table seed_stores (store integer, id uuid, grant_id uuid, token_hash bytea)');
  const { rows } = await client.query<{ id: string; store: number }>(
    `insert into seed_stores select n, new_id(), new_id(), hash from unnest($1::bytea[]) with ordinality as t(hash, n)
     returning store, id`,
    [tokens.map(hashOfSecret)],
  );
  await client.query(
    `with
       store as (insert into workspaces (id, owner_id, slug, name, email)
         select id, new_id(), 'bench-' || store, 'Store ' || store, 'owner@bench.example' from seed_stores),
       grants as (insert into oauth_grants (workspace_id, id, client_id, scopes, connected_at)
         select id, grant_id, 'app_bench', $1::text[], now() from seed_stores),
       budget as (insert into budgets (workspace_id, client_id, per_minute)
         select id, 'app_bench', $2 from seed_stores)
     insert into oauth_access_tokens (token_hash, workspace_id, grant_id, expires_at)
     select token_hash, id, grant_id, now() + interval '1 day' from seed_stores`,
    [SCOPES, BUDGET],
  );
  return rows.map(({ id, store }) => ({ workspaceId: id, token: tokens[store - 1]! }));
}

/**
 * Drops all indexes of the tables and returns the statements that create them again, with their statistics targets.
 * Building an index over a full table is much faster than filling it row by row.
 */
async function dropIndexes(client: pg.Client, tables: string[]): Promise<string[]> {
  const { rows } = await client.query<{ off: string; on: string }>(
    `select
       case when c.oid is null then format('drop index %s', i.indexrelid::regclass)
         else format('alter table %s drop constraint %I', i.indrelid::regclass, c.conname) end as off,
       case when c.oid is null then pg_get_indexdef(i.indexrelid)
         else format('alter table %s add constraint %I %s', i.indrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
         end as on
     from pg_index i left join pg_constraint c on c.conindid = i.indexrelid
     where i.indrelid = any($1::regclass[])`,
    [tables],
  );
  const { rows: targets } = await client.query<{ on: string }>(
    `select format('alter index %s alter column %s set statistics %s', a.attrelid::regclass, a.attnum, a.attstattarget) as on
     from pg_index i join pg_attribute a on a.attrelid = i.indexrelid
     where i.indrelid = any($1::regclass[]) and a.attstattarget >= 0`,
    [tables],
  );
  for (const { off } of rows) await client.query(off);
  return [...rows, ...targets].map(({ on }) => on);
}
