import { hashOfSecret, newSecret } from 'feira/dist/oauth/secrets.js';
import { migrate } from 'feira/dist/platform/db/migrate.js';
import pg from 'pg';

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

/** Every searched line name occurs in this many products, independent of the total. */
export const PRODUCTS_PER_LINE = 20;
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

/** Fills an empty database. Every third product has 6 variations, and each product has 3 images. */
export async function seed(
  connection: Connection,
  stores: number,
  productsPerStore: number,
): Promise<SeededStore[]> {
  await migrate(connection);
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(
      `set synchronous_commit = off; set maintenance_work_mem = '512MB'; set work_mem = '256MB'`,
    );
    const made = await makeStores(client, stores);
    const indexes = await dropIndexes(client, ['products', 'variations', 'product_images', 'product_search']);
    await client.query(WORDS);
    await client.query(PRODUCTS, [productsPerStore]);
    await client.query(VARIATIONS);
    // The trigger counts the images of a product, which requires a table scan while the index is missing.
    await client.query('alter table product_images disable trigger product_images_limit');
    await client.query(IMAGES);
    await client.query('alter table product_images enable trigger product_images_limit');
    await client.query(SEARCH);
    for (const index of indexes) await client.query(index);
    // autovacuum would do this within minutes. Plans and index-only scans depend on it.
    await client.query('drop table seed_stores');
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

export async function makeStores(client: pg.Client, count: number): Promise<SeededStore[]> {
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

/** Building an index over full tables is much faster than filling it row by row. */
export async function dropIndexes(client: pg.Client, tables: string[]): Promise<string[]> {
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
  for (const { off } of rows) await client.query(off);
  return rows.map(({ on }) => on);
}

// Line names are invented words made of syllables, so that their trigrams repeat as in a natural language. Ids are
// UUIDv7 with the creation time of the product.
export const WORDS = `
  create function seed_line(k bigint) returns text language sql immutable parallel safe as $$
    select initcap(string_agg(substr('bcdfgjlmnprstvxz', 1 + (digit % 16)::integer, 1)
      || substr('aeiou', 1 + (digit / 16)::integer, 1), '' order by i))
    from (select i, (k * 7919 + 104729) % 40960000 / (80 ^ i)::bigint % 80 as digit from generate_series(0, 3) i) digits
  $$;
  create function seed_pick(n bigint, salt integer, words text[]) returns text language sql immutable parallel safe as $$
    select words[1 + abs(hashint8extended(n, salt) % cardinality(words))]
  $$;
  create function seed_id(at timestamptz, store integer, n bigint) returns uuid language sql immutable parallel safe as $$
    select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(hash, 1, 3) || '8'
      || substr(hash, 4, 15))::uuid
    from md5(store || ' ' || n) hash
  $$`;

// Stores are filled in parallel, as in production, so the products of one store are spread over the whole table.
const PRODUCTS = `
  insert into products (workspace_id, id, name, price, price_discount, description, quantity, weight, width, height,
    length, category_id, sku, ean, has_variants, variation_types, created_at, updated_at)
  select s.id, seed_id(at, s.store, n),
    concat_ws(' ',
      seed_pick(n, s.store, '{Camiseta,Calça,Tênis,Relógio,Caneca,Mochila,Óculos,Cadeira,Luminária,Panela,Café,Caderno}'),
      seed_pick(n, s.store + 1, '{Básica,Clássico,Premium,Esportiva,Infantil,Orgânico,Portátil,Térmica}'),
      seed_pick(n, s.store + 2, '{Azul,Branca,Preta,Verde,Vermelha,Amarela,Cinza}'),
      seed_line(n % (1 + $1 / ${PRODUCTS_PER_LINE})), n),
    1 + hash % 50000 / 100.0, case when n % 5 = 0 then 1 + hash % 20000 / 100.0 end,
    repeat('Descrição do produto, com medidas, materiais e cuidados. ', 4),
    case when n % 3 = 0 then 6 * (n % 40) else hash % 500 end, 0.3, 20, 5, 30, 1 + hash % 27,
    case when n % 3 > 0 then 'SKU-' || lpad(n::text, 7, '0') end, '789' || lpad((hash % 10000000000)::text, 10, '0'),
    n % 3 = 0,
    case when n % 3 = 0 then '[{"name":"Tamanho","options":["P","M","G"]},{"name":"Cor","options":["Azul","Branca"]}]'
      else '[]' end::jsonb,
    at, at + hash % 1000000 * interval '1 second'
  from generate_series(1, $1::bigint) n, seed_stores s,
    lateral (select timestamptz '2025-01-01Z' + n * interval '25 seconds' as at, abs(hashint8extended(n, s.store + 3)) as hash) of
  order by n, s.store`;

const VARIATIONS = `
  insert into variations (workspace_id, product_id, id, position, combination, options, sku, ean, price, quantity)
  select p.workspace_id, p.id, seed_id(p.created_at, i, n), i, size || ' - ' || colour, array[size, colour],
    'SKU-' || lpad(n::text, 7, '0') || '-' || size || '-' || left(colour, 2), '780' || lpad(n::text, 9, '0') || i,
    p.price, n % 40
  from (select *, split_part(name, ' ', -1)::bigint as n from products where has_variants) p,
    generate_series(0, 5) i,
    lateral (select (array['P', 'M', 'G'])[1 + i / 2] as size, (array['Azul', 'Branca'])[1 + i % 2] as colour) option`;

const IMAGES = `
  insert into product_images (workspace_id, product_id, id, position, key, content_type, size, width, height)
  select p.workspace_id, p.id, seed_id(p.created_at, 10 + i, i), i,
    p.workspace_id || '/' || p.id || '/' || substr(md5(p.id::text || i), 1, 20) || '.jpg', 'image/jpeg', 180000, 1200, 1200
  from products p, generate_series(0, 2) i`;

// The same terms as refreshSearch writes.
const SEARCH = `
  insert into product_search (workspace_id, product_id, terms)
  select p.workspace_id, p.id, search_terms(variadic array[p.name, p.sku, p.ean] || coalesce(v.codes, '{}'))
  from products p left join (
    select workspace_id, product_id, array_agg(code order by position) as codes
    from variations, unnest(array[sku, ean]) code group by workspace_id, product_id
  ) v on v.workspace_id = p.workspace_id and v.product_id = p.id`;
