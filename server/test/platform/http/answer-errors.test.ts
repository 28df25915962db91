import { afterAll, beforeAll, expect, test } from 'vitest';
import { ERROR_CODES } from '../../../src/platform/http/error-catalogue.js';
import { expectErrorShape } from '../../support/expect-rejected.js';
import { type Answer, type Feira, openFeira, type StoreClient } from '../../support/feira.js';

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await openFeira({ publicUrl: 'https://feira.example' });
  store = await feira.store();
});
afterAll(() => feira.close());

const NO_TOKEN = { authorization: '' };

/** The errors to test: what is wrong, the expected status, and the request. */
const refusals: [string, number, () => Promise<Answer>][] = [
  ['a path that cannot be decoded', 400, () => store.get('/products/%zz')],
  ['an unknown query parameter', 400, () => store.get('/products?color=1')],
  ['a body that is not JSON', 400, () => store.post('/products', '{')],
  ['a request without a token', 401, () => store.get('/me', NO_TOKEN)],
  ['a path that cannot be decoded, without a token', 401, () => store.get('/%zz', NO_TOKEN)],
  ['a missing scope', 403, async () => (await store.withScopes([])).get('/products')],
  ['an unknown path', 404, () => store.get('/nothing')],
  ['an unknown resource', 404, () => store.get('/products/nothing')],
  ['a method that the path does not support', 405, () => store.put('/me', {})],
  ['a duplicate name', 409, () => store.post('/products', { name: 'Taken', price: 1 })],
  ['a body that is too large', 413, () => store.post('/products', ' '.repeat(1_048_577))],
  ['an invalid field', 422, () => store.post('/products', { name: 'X', price: -1 })],
  [
    'a call beyond the rate limit',
    429,
    async () => {
      const poor = await feira.store({ perMinute: 1 });
      await poor.get('/me');
      return poor.get('/me');
    },
  ],
];

test.each(refusals)('%s is rejected with %i, a docUrl and X-Should-Retry', async (_place, status, call) => {
  await store.post('/products', { name: 'Taken', price: 1 });
  const answer = await call();
  expect(answer.status).toBe(status);
  expectErrorShape(answer);
  expect(answer.body.docUrl).toBe(`https://feira.example/docs/errors/${answer.body.code}`);
});

test('a replayed error has the same docUrl and X-Should-Retry', async () => {
  const key = { 'idempotency-key': 'refused' };
  const first = await store.post('/products', { name: 'X', price: -1 }, key);
  const again = await store.post('/products', { name: 'X', price: -1 }, key);
  expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true', 'x-should-retry': 'false' });
  expect(again.body).toEqual(first.body);
  expect(first.body.docUrl).toBe('https://feira.example/docs/errors/validation_failed');
});

test('a successful response has no X-Should-Retry', async () => {
  expect((await store.get('/me')).headers).not.toHaveProperty('x-should-retry');
});

test('errors outside the API link to their explanation as well', async () => {
  const answer = await feira.app.inject('/nothing');
  expect(answer.json()).toMatchObject({
    code: 'not_found',
    docUrl: 'https://feira.example/docs/errors/not_found',
  });
});

test('errors of the token endpoint keep the format of RFC 6749', async () => {
  const answer = await feira.app.inject({ method: 'POST', url: '/api/oauth/token' });
  expect(Object.keys(answer.json()).sort()).toEqual(['error', 'error_description']);
});

test('openapi.json lists every error code', async () => {
  const { components } = (await feira.app.inject('/openapi.json')).json();
  expect(components.schemas.Error.properties.code.enum).toEqual(ERROR_CODES);
});
