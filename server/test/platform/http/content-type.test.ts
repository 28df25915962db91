import { beforeAll, expect, test } from 'vitest';
import type { Feira, StoreClient } from '../../support/feira.js';
import { sharedFeira } from '../../support/shared-feira.js';

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'garbage', '/', ''])(
  'a body of content type "%s" is rejected with 400',
  async (type) => {
    const answer = await store.post('/products', '{"name":"x","price":1}', { 'content-type': type });
    expect([answer.status, answer.body.code]).toEqual([400, 'unsupported_content_type']);
  },
);
