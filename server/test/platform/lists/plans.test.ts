import { afterAll, beforeAll, expect, test } from 'vitest';
import { listProducts, type ProductFilters } from '../../../src/catalog/queries.js';
import type { Queryable } from '../../../src/platform/db/share.js';
import { type Statement, sql } from '../../../src/platform/db/sql.js';
import { ListMemory } from '../../../src/platform/lists/list-memory.js';
import type { PageRequest } from '../../../src/platform/lists/paging.js';
import { type Feira, openFeira, type StoreClient } from '../../support/feira.js';

// Checks which indexes the statements of a list use in a store with 6,000 products. Most other tests have stores so
// small that reading the whole store would be just as fast.

let feira: Feira;
let store: StoreClient;
let memory: ListMemory;

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
  const { autocommit } = feira.context.db.background('test');
  memory = new ListMemory(autocommit);
  await autocommit.query(sql`
    insert into products (workspace_id, id, name, price, created_at)
    select ${store.workspaceId}::uuid, new_id(), case when n % 20 = 0 then 'Lantern ' when n % 2 = 0 then 'Common ' else 'Other ' end || n,
      n % 100, now() - n * interval '1 minute' from generate_series(1, 6000) n`);
  await autocommit.query(sql`
    insert into product_search (workspace_id, product_id, terms)
    select workspace_id, id, search_terms(name) from products where workspace_id = ${store.workspaceId}`);
  // Tests do not wait for the disk at a commit, and VACUUM does not mark a page as all-visible until the commits of its
  // rows are on the disk. A checkpoint writes all commits to the disk.
  await autocommit.query(sql`checkpoint`);
  await autocommit.query(sql`vacuum analyze products, product_sort_values, product_search, list_counts`);
});
afterAll(() => feira.close());

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

/** Returns the scans of the statements that a request runs, such as "Index Scan products_by_created". */
async function scansOf(request: Partial<PageRequest<ProductFilters>>): Promise<string[]> {
  const db = feira.context.db.store('test');
  const statements: Statement[] = [];
  const recording: Queryable = {
    query: (statement) => {
      statements.push(statement);
      return db.query(statement);
    },
  };
  await listProducts(
    recording,
    memory,
    store.workspaceId,
    { list: 'products', limit: 50, filters: {}, sort: '-createdAt', page: 1, after: undefined, ...request },
    'http://media.test',
  );
  const scans: string[] = [];
  const collect = (plan: Plan) => {
    const target = plan['Index Name'] ?? plan['Relation Name'];
    if (target && plan['Node Type'].includes('Scan')) scans.push(`${plan['Node Type']} ${target}`);
    plan.Plans?.forEach(collect);
  };
  for (const statement of statements) {
    const [row] = await db.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(sql`explain (format json) ${statement}`);
    collect(row!['QUERY PLAN'][0].Plan);
  }
  return scans;
}

test('a page reads its records through the index of its sort order, and does not scan the table for its total', async () => {
  await feira.context.db.background('test').autocommit.query(sql`
    insert into list_counts (workspace_id, list, is_base, records, changes)
    values (${store.workspaceId}, 'products', true, 0, 0) on conflict do nothing`);
  const scans = await scansOf({});
  expect(scans).toContain('Index Scan products_by_created');
  expect(scans).not.toContain('Seq Scan products');
});

test('a page far into the list skips the index entries before it without reading their records', async () => {
  const scans = await scansOf({ page: 80 });
  expect(scans).toContain('Index Only Scan products_by_created');
  expect(scans).toContain('Index Scan products_by_created');
});

test('pages with different numbers share one plan', async () => {
  for (let page = 2; page <= 12; page++) await scansOf({ page, sort: 'price' });
  const plans = await feira.context.db.store('test').query<{ custom: number; generic: number }>(sql`
    select custom_plans as custom, generic_plans as generic from pg_prepared_statements
    where statement like '%limit 1 offset%order by p.price%' and statement not like '%pg_prepared_statements%'`);
  // PostgreSQL plans a statement five times before it compares these plans with a generic one.
  expect(plans).toEqual([{ custom: 5, generic: 6 }]);
});

test.each([
  ['price', 'products_by_price'],
  ['-name', 'products_by_name'],
  ['quantity', 'product_sort_values_by_quantity'],
  ['-updatedAt', 'product_sort_values_by_updated'],
])('sort=%s reads the index %s', async (sort, index) => {
  expect(await scansOf({ sort })).toContain(`Index Scan ${index}`);
});

test('a page of recently changed products far into the list skips index entries, and counts no products', async () => {
  const filters = { updatedFrom: '2020-01-01T00:00:00Z' };
  const scans = await scansOf({ sort: '-updatedAt', page: 80, filters });
  expect(scans).toContain('Index Only Scan product_sort_values_by_updated');
  expect(scans.filter((scan) => scan.endsWith(' products_pkey'))).toHaveLength(1);
  expect(scans).not.toContain('Seq Scan products');
});

test('products that were changed in a short period are found by their time, whatever the order of the list', async () => {
  const filters = { updatedFrom: '2100-01-01T00:00:00Z', updatedTo: '2100-01-02T00:00:00Z' };
  const scans = await scansOf({ sort: 'createdAt', filters });
  expect(scans.join()).toContain('product_sort_values_by_updated');
  expect(scans.join()).not.toContain('products_by_created');
});

test('a rare term is looked up in the search index', async () => {
  const scans = await scansOf({ filters: { search: 'lantern 5980' } });
  expect(scans).toContain('Bitmap Index Scan product_search_grams');
  expect(scans).toContain('Index Scan products_pkey');
});

test('a common term is found by reading the list in the requested order', async () => {
  const scans = await scansOf({ filters: { search: 'common' } });
  expect(scans).toContain('Index Only Scan products_by_created');
  expect(scans).toContain('Index Scan product_search_pkey');
});

test('a page requested with a cursor reads nothing but its records', async () => {
  const after = {
    value: new Date(Date.now() - 3_600_000 * 10).toISOString(),
    id: 'ffffffff-ffff-7fff-bfff-ffffffffffff',
  };
  expect(await scansOf({ page: undefined, after })).toEqual(['Index Scan products_by_created']);
});

test('ANALYZE does not compute the search grams of any row', async () => {
  const indexes = await feira.context.db
    .background('test')
    .query<{ index: string; target: number | null }>(sql`
    select i.indexrelid::regclass::text as index, a.attstattarget as target
    from pg_index i join pg_attribute a on a.attrelid = i.indexrelid
    where pg_get_indexdef(i.indexrelid) like '%search_grams(%' order by 1`);
  expect(indexes).toEqual([
    { index: 'customers_grams', target: 0 },
    { index: 'order_search_grams', target: 0 },
    { index: 'product_search_grams', target: 0 },
  ]);
});
