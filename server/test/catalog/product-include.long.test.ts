import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertCatalog } from '../support/catalog-rows.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
  await insertCatalog(feira, store, 10_000);
});
afterAll(() => feira.close());

test('10,000 products with variations and images are read in 100 calls and equal the details', async () => {
  const listed: { id: string }[] = [];
  let calls = 0;
  for (let cursor: string | null = ''; cursor !== null; calls++) {
    const { body } = await store.get(
      `/products?limit=100&include=variants,images${cursor && `&cursor=${cursor}`}`,
    );
    listed.push(...body.data);
    cursor = body.meta.nextCursor;
  }
  expect([calls, new Set(listed.map(({ id }) => id)).size]).toEqual([100, 10_000]);
  for (const record of listed) expect((await store.get(`/products/${record.id}`)).body).toStrictEqual(record);
});
