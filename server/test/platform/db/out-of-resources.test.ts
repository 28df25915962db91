import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Feira, openFeira, type StoreClient } from '../../support/feira.js';

let feira: Feira;
let store: StoreClient;
let beside: pg.Client;

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
  beside = new pg.Client(feira.connection);
  await beside.connect();
});
afterAll(async () => {
  await beside.end();
  await feira.close();
});

test.each([
  ['disk_full', '53100'],
  ['out_of_memory', '53200'],
])('a write returns 503 busy while PostgreSQL reports %s, and works afterwards', async (name, code) => {
  await beside.query(`
    create or replace function fail() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: ${name}' using errcode = '${code}'; end $$;
    create or replace trigger fail before insert on products for each row execute function fail()`);
  const product = { name: `Shirt after ${name}`, price: 10 };
  const answer = await store.post('/products', product);
  expect(answer).toMatchObject({
    status: 503,
    body: { code: 'busy' },
    headers: { 'x-should-retry': 'true' },
  });
  expect(answer.headers['retry-after']).toBeDefined();
  await beside.query('drop trigger fail on products');
  expect((await store.post('/products', product)).status).toBe(201);
});
