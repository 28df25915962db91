import { afterAll, beforeAll, expect, test } from 'vitest';
import { listProducts } from '../../src/catalog/queries.js';
import type { Queryable } from '../../src/platform/db/share.js';
import { raw, type Statement, sql } from '../../src/platform/db/sql.js';
import { ListMemory } from '../../src/platform/lists/list-memory.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { sized } from '../support/sized.js';

// How the server searches for a word depends on how many products contain the word and on where these products are in
// the requested order. In every case, the response must equal the result of reading all products.

const FRUITS = 4_500;
const SHIRTS = 10_500;
let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
  // Sorted by "name", all fruits come first. Sorted by "price", all shirts come first. Sorted by "-createdAt", they are
  // mixed.
  await feira.context.db.store('test').transaction(async (tx) => {
    await tx.query(sql`
      insert into products (workspace_id, id, name, price, quantity, category_id, created_at, updated_at)
      select ${store.workspaceId}, new_id(), name || ' ' || n, price, n % 7, 1 + n % 3,
        timestamptz '2026-01-01Z' + n * 7919 % 15013 * interval '1 minute', timestamptz '2026-02-01Z' - n * interval '1 second'
      from (
        select n, case when n <= ${FRUITS}::integer then 'Abacate' else 'Camiseta' end as name,
          case when n <= ${FRUITS}::integer then 20 else 10 end as price
        from generate_series(1, ${FRUITS + SHIRTS}::integer) n
      ) made`);
    await tx.query(sql`
      insert into product_search (workspace_id, product_id, terms)
      select workspace_id, id, search_terms(name) from products where workspace_id = ${store.workspaceId}`);
  });
  const other = await feira.store();
  await other.post('/products', { name: 'Camiseta of another store', price: 1 });
});
afterAll(() => feira.close());

const COLUMNS: Record<string, string> = { name: 'name_sort', price: 'price', createdAt: 'created_at' };
const SORTS = ['name', 'price', '-createdAt'];

interface Product {
  id: string;
  name: string;
  category: number;
}

/** Returns all products of the store in the order of `sort`. */
function scan(sort: string): Promise<Product[]> {
  const direction = raw(sort.startsWith('-') ? 'desc' : 'asc');
  return feira.context.db.store('test').query<Product>(sql`
    select id, lower(name) as name, category_id as category from products
    where workspace_id = ${store.workspaceId}
    order by ${raw(COLUMNS[sort.replace('-', '')]!)} ${direction}, id ${direction}`);
}

// The long test run also searches within a category.
const CATEGORIES = sized(0, 1) === 1 ? [undefined, 2] : [undefined];
// Words that occur in most products, in nearly a third, in about one in fourteen, in exactly one and in none, and a
// word that is too short for the index.
const WORDS = ['camiseta', 'abacate', ' 10', 'camiseta 15000', 'banana', 'ba'];

test.each(SORTS)('a search sorted by %s lists and counts the same products as a full scan', async (sort) => {
  const products = await scan(sort);
  for (const word of WORDS)
    for (const category of CATEGORIES) {
      const expected = products
        .filter((each) => each.name.includes(word) && (category ?? each.category) === each.category)
        .map(({ id }) => id);
      const query = new URLSearchParams({ search: word, sort, limit: '20' });
      if (category !== undefined) query.set('categoryId', String(category));
      for (const page of [1, 3, 400]) {
        const { body } = await store.get(`/products?${query}&page=${page}`);
        const seen = body.data.map(({ id }: { id: string }) => id);
        expect([word, category, page, seen]).toEqual([
          word,
          category,
          page,
          expected.slice((page - 1) * 20, page * 20),
        ]);
        expect(body.meta).toMatchObject({
          total: Math.min(expected.length, 10_000),
          hasMore: expected.length > page * 20,
        });
        expect(body.meta.totalCapped).toBe(expected.length > 10_000 ? true : undefined);
      }
      const { meta } = (await store.get(`/products?${query}&page=2`)).body;
      if (meta.nextCursor === null) continue;
      const { body: next } = await store.get(`/products?limit=20&cursor=${meta.nextCursor}`);
      expect(next.data.map(({ id }: { id: string }) => id)).toEqual(expected.slice(40, 60));
    }
});

test('a total above 10,000 is correct after every change and is not counted again after each', async () => {
  const db = feira.context.db.store('test');
  const memory = new ListMemory(feira.context.db.background('test').autocommit);
  const search = async () => {
    const statements: Statement[] = [];
    const recording: Queryable = {
      query: (statement) => {
        statements.push(statement);
        return db.query(statement);
      },
    };
    const filters = { search: 'camiseta' };
    const request = { list: 'products', limit: 20, filters, sort: '-createdAt', page: 1, after: undefined };
    const body = await listProducts(recording, memory, store.workspaceId, request, 'http://media.test');
    const { total, totalCapped } = JSON.parse(String(body)).meta;
    return { total, totalCapped, isCounted: statements.some(({ text }) => text.includes('as total from (')) };
  };
  const remove = (count: number) =>
    db.autocommit.query(sql`
      with gone as (
        delete from product_search where (workspace_id, product_id) in (
          select workspace_id, id from products where workspace_id = ${store.workspaceId} and name like 'Camiseta%' limit ${count})
        returning workspace_id, product_id
      )
      delete from products p using gone where p.workspace_id = gone.workspace_id and p.id = gone.product_id`);

  expect(await search()).toEqual({ total: 10_000, totalCapped: true, isCounted: true });
  await remove(SHIRTS - 10_001);
  expect(await search()).toEqual({ total: 10_000, totalCapped: true, isCounted: false });
  await remove(1);
  expect(await search()).toEqual({ total: 10_000, totalCapped: undefined, isCounted: true });
  await remove(1);
  expect(await search()).toEqual({ total: 9_999, totalCapped: undefined, isCounted: true });
});
