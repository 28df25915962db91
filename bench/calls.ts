import { productPart } from 'feira/dist/storefront/product-address.js';
import type { LoadResult } from './load.js';
import type { Server } from './processes.js';
import { requestBytes, shuffled } from './request-bytes.js';
import { type Connection, query, type SeededStore } from './seed.js';

/** A kind of call that the benchmark measures. Each has one row in the output. */
export interface Call {
  name: string;
  /** The fraction of bare Fastify's throughput that the call must reach. */
  goal: number | undefined;
  server: Server;
  requests(round: number): Uint8Array[];
  /** The expected status of every response. Default: 200. */
  status?: number;
  /** Whether a request must not be sent twice. */
  isOnce?: boolean;
  /** Set if one unit of work consists of several requests that depend on each other. Used instead of `requests`. */
  perform?(load: { connections: number; seconds: number }): Promise<LoadResult>;
}

export interface Product {
  id: string;
  name: string;
  token: string;
  hasVariants: boolean;
  sku: string | null;
}

interface SeededData {
  server: Server;
  connection: Connection;
  stores: SeededStore[];
}

const PAGES = 200;

/** Calls to many small stores, by default with 100 products each. */
export async function smallStoreCalls({ server, connection, stores }: SeededData): Promise<Call[]> {
  const products = await seededProducts(connection, stores);
  return [
    {
      name: 'small: GET product',
      goal: 0.55,
      server,
      requests: () => detailsOf(products.filter(({ hasVariants }) => hasVariants)),
    },
    {
      name: 'small: GET products, 50 per page',
      goal: 0.14,
      server,
      requests: () => shuffled(stores).map(({ token }) => get('/products', token)),
    },
    {
      name: 'small: PATCH stock',
      goal: 0.24,
      server,
      requests: (round) => stockWrites(products, round),
    },
  ];
}

/** Calls to one large store, by default with 10,000 products and 10,000 orders. */
export async function largeStoreCalls({ server, connection, stores }: SeededData): Promise<Call[]> {
  const { token } = stores[0]!;
  const products = await seededProducts(connection, stores);
  const orders = await query<{ id: string }>(connection, 'select id from orders order by id');
  const cursors = await cursorsOf(server, connection, token, '/products');
  const including = await cursorsOf(server, connection, token, '/products?include=variants,images');
  const pages = Array.from({ length: PAGES }, (_, page) => `page=${page + 1}`);
  const shop = (path: string) => requestBytes('GET', `/s/bench-1${path}`);
  const words = ['algodao', 'couro', 'ceramica', 'veludo', 'madeira', 'silicone'];
  const call = (
    name: string,
    goal: number | undefined,
    requests: Call['requests'],
    rest: Partial<Call> = {},
  ): Call => ({
    name: `large: ${name}`,
    goal,
    server,
    requests,
    ...rest,
  });
  return [
    call('GET product', 0.55, () => detailsOf(products)),
    call('GET products, 50 per page, by page number', 0.14, () =>
      shuffled(pages).map((page) => get(`/products?${page}`, token)),
    ),
    call('GET products, 50 per page, by cursor', 0.18, () =>
      shuffled(cursors).map((path) => get(path, token)),
    ),
    call('GET products with include', 0.08, () => shuffled(including).map((path) => get(path, token))),
    call('search, a word in 1 of 20 products', 0.09, () =>
      shuffled(words).map((word) => get(`/products?search=${word}`, token)),
    ),
    call('PATCH stock', 0.24, (round) => stockWrites(products, round)),
    call('PATCH variation stock', 0.2, (round) => variationStockWrites(products, round)),
    call('PATCH variants, one quantity', undefined, (round) => variationUpdates(products, round)),
    call('POST product with 3 variations', 0.05, (round) => newProducts(token, round), {
      status: 201,
      isOnce: true,
    }),
    call('GET orders, 50 per page, by page number', 0.1, () =>
      shuffled(pages).map((page) => get(`/orders?${page}`, token)),
    ),
    call('GET order', 0.38, () => shuffled(orders).map(({ id }) => get(`/orders/${id}`, token))),
    call('storefront, product list', 0.08, () => shuffled(pages).map((page) => shop(`?${page}`))),
    call('storefront, product page', 0.1, () =>
      shuffled(products).map(({ id, name }) => shop(`/products/${productPart(id, name)}`)),
    ),
  ];
}

export function get(path: string, token: string): Uint8Array {
  return requestBytes('GET', `/api/v1${path}`, token);
}

function detailsOf(products: Product[]): Uint8Array[] {
  return shuffled(products).map(({ id, token }) => get(`/products/${id}`, token));
}

const STOCK_WRITES = 40_000;

/**
 * Returns at least 40,000 requests that set the stock of these products. Each request sets a new quantity, so that
 * every call emits an event.
 */
function changesOf(
  products: Product[],
  round: number,
  write: (product: Product, quantity: number) => Uint8Array,
): Uint8Array[] {
  const passes = Math.ceil(STOCK_WRITES / products.length);
  return Array.from({ length: passes }, (_, pass) =>
    shuffled(products).map((product) => write(product, 1000 + round * passes + pass)),
  ).flat();
}

function stockWrites(products: Product[], round: number): Uint8Array[] {
  const simple = products.filter(({ hasVariants }) => !hasVariants);
  return changesOf(simple, round, ({ id, token }, quantity) =>
    requestBytes('PATCH', `/api/v1/products/${id}/stock`, token, { quantity }),
  );
}

function variationStockWrites(products: Product[], round: number): Uint8Array[] {
  const varied = products.filter(({ hasVariants }) => hasVariants);
  return changesOf(varied, round, ({ id, token, sku }, quantity) =>
    requestBytes('PATCH', `/api/v1/products/${id}/variants/${sku}/stock`, token, { quantity }),
  );
}

function variationUpdates(products: Product[], round: number): Uint8Array[] {
  const varied = products.filter(({ hasVariants }) => hasVariants);
  return changesOf(varied, round, ({ id, token, sku }, quantity) =>
    requestBytes('PATCH', `/api/v1/products/${id}/variants`, token, {
      variants: [{ sku, quantity: quantity + 100_000 }],
    }),
  );
}

function newProducts(token: string, round: number): Uint8Array[] {
  const stamp = Date.now();
  return Array.from({ length: 20_000 }, (_, i) => {
    const name = `New ${stamp} ${round} ${i}`;
    return requestBytes('POST', '/api/v1/products', token, {
      name,
      price: 49.9,
      variants: {
        types: [{ name: 'Tamanho', options: ['P', 'M', 'G'] }],
        combinations: ['P', 'M', 'G'].map((size) => ({
          combination: size,
          sku: `N${stamp}-${round}-${i}-${size}`,
          quantity: 5,
        })),
      },
    });
  });
}

export async function seededProducts(connection: Connection, stores: SeededStore[]): Promise<Product[]> {
  const tokens = new Map(stores.map(({ workspaceId, token }) => [workspaceId, token]));
  const rows = await query<{
    workspace_id: string;
    id: string;
    name: string;
    has_variants: boolean;
    sku: string | null;
  }>(
    connection,
    `select p.workspace_id, p.id, p.name, p.has_variants, v.sku from products p
     left join variations v on v.workspace_id = p.workspace_id and v.product_id = p.id and v.position = 0`,
  );
  return rows.map(({ workspace_id, id, name, has_variants, sku }) => ({
    id,
    name,
    token: tokens.get(workspace_id)!,
    hasVariants: has_variants,
    sku,
  }));
}

/** Returns the paths of about 200 pages, with cursors at positions spread over the whole list. */
async function cursorsOf(
  { port }: Server,
  connection: Connection,
  token: string,
  path: string,
): Promise<string[]> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { meta } = (await response.json()) as { meta: { nextCursor: string } };
  const parts = JSON.parse(Buffer.from(meta.nextCursor, 'base64url').toString()) as unknown[];
  const places = await query<{ id: string; at: Date }>(
    connection,
    `select id, created_at as at from (
       select id, created_at, row_number() over (order by created_at desc, id desc) as n from products
     ) numbered where n % greatest(1, (select count(*) from products) / ${PAGES}) = 0`,
  );
  return places.map(({ at, id }) => {
    const cursor = Buffer.from(JSON.stringify([...parts.slice(0, -2), at, id])).toString('base64url');
    return `${path.split('?')[0]}?cursor=${cursor}`;
  });
}
