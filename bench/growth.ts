import { query, seed } from './seed.js';
import { PRODUCTS_PER_LINE } from './seed-catalog.js';
import { compareSizes, movedCursors, type Size, secondPages } from './sizes.js';

// Measures the effect of a hundred times as many products, all in one store. That is the worst case: a query reads only
// the part of an index that belongs to its store, and here that part is the whole index.

const COMMON_WORD = 'search, a word in every 12th product';
const SORTS = ['name', 'price', 'quantity', 'createdAt', 'updatedAt'].flatMap((key) => [key, `-${key}`]);

await compareSizes({
  records: 'products',
  requestsPerRound: 300,
  seed: async (connection, count) => (await seed(connection, 1, { products: count }))[0]!,
  callsOf,
  // The small store has about 833 matches to count. In the large store, counting stops at 10,000.
  countMore: [COMMON_WORD],
});

async function callsOf(size: Size): Promise<Map<string, string[]>> {
  const { connection, count } = size;
  const ids = await query<{ id: string }>(
    connection,
    `select id from products where split_part(name, ' ', -1)::bigint % greatest(1, $1::bigint / 400) = 0`,
    [count],
  );
  const lines = await query<{ line: string }>(
    connection,
    'select seed_line(n) as line from generate_series(1, $1::bigint, greatest(1, $1::bigint / 300)) n',
    [count / PRODUCTS_PER_LINE],
  );
  const oldest = await query<{ id: string; value: Date }>(
    connection,
    'select id, created_at as value from products order by workspace_id, created_at, id offset 100 limit 200',
  );
  const skus = Array.from({ length: 300 }, (_, i) => 1 + Math.floor((i * count) / 300)).map(
    (n) => `SKU-${String(n).padStart(7, '0')}`,
  );
  const common = ['camiseta', 'oculos', 'mochila'].map((word) => `/products?search=${word}`);
  return new Map([
    ['detail', ids.map(({ id }) => `/products/${id}`)],
    ['search, a word in 20 products', lines.map(({ line }) => `/products?search=${line}`)],
    ['search, five letters of such a word', lines.map(({ line }) => `/products?search=${line.slice(0, 5)}`)],
    [COMMON_WORD, common],
    ['the same, next page by cursor', await secondPages(size, common)],
    ['search, one sku', skus.map((sku) => `/products?search=${sku}`)],
    ['filter, one sku', skus.map((sku) => `/products?sku=${sku}`)],
    ['list, first page', ['/products']],
    ['list, any page', Array.from({ length: 200 }, (_, i) => `/products?page=${i + 1}`)],
    ['list, deep cursor', await movedCursors(size, '/products', oldest)],
    ...SORTS.map((sort): [string, string[]] => [`list, first page by ${sort}`, [`/products?sort=${sort}`]]),
  ]);
}
