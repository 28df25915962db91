import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Feira, openFeira, type StoreClient } from '../../support/feira.js';

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
});
afterAll(() => feira.close());

test.each(['text/plain', 'application/x-www-form-urlencoded', 'garbage', '/', ''])(
  'a body of content type "%s" is 400',
  async (type) => {
    const answer = await store.post('/products', '{"name":"x","price":1}', { 'content-type': type });
    expect([answer.status, answer.body.code]).toEqual([400, 'unsupported_content_type']);
  },
);
