import { beforeAll, expect, test } from 'vitest';
import { ERROR_CATALOGUE, ERROR_CODES } from '../../src/platform/http/error-catalogue.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
});

test('the docUrl of an error leads to a page that says what to do', async () => {
  const { body } = await store.post('/products', {});
  const page = await feira.app.inject(new URL(body.docUrl).pathname);
  expect(page.statusCode).toBe(200);
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.body).toContain(ERROR_CATALOGUE.validation_failed.remedy);
});

test('the list of error codes links to a page for every code', async () => {
  const list = await feira.app.inject('/docs/errors');
  const links = [...list.body.matchAll(/href="(\/docs\/errors\/\w+)"/g)].map(([, link]) => link!);
  expect(links).toEqual(ERROR_CODES.map((code) => `/docs/errors/${code}`));
  for (const link of links) expect([link, (await feira.app.inject(link)).statusCode]).toEqual([link, 200]);
});

test.each(['/docs/errors/nothing', '/docs/errors/constructor', '/docs/errors/<script>'])(
  '%s returns a page with the status 404',
  async (path) => {
    const page = await feira.app.inject(path);
    expect([page.statusCode, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.body).not.toContain('<script>');
  },
);
