import { beforeAll, expect, test } from 'vitest';
import type { Feira } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

let feira: Feira;

beforeAll(async () => {
  feira = await sharedFeira();
});

test('the landing page is in the language that the browser or the address requests', async () => {
  const title = async (url: string, language: string) =>
    /<h1>(.*?)<\/h1>/.exec(
      (await feira.app.inject({ url, headers: { 'accept-language': language } })).body,
    )?.[1];
  expect(await title('/', 'en')).toBe('The partner API for online stores');
  expect(await title('/', 'pt-BR')).toBe('A API de parceiros para lojas virtuais');
  expect(await title('/?lang=en', 'pt-BR')).toBe('The partner API for online stores');
  expect(await title('/?lang=xx', 'pt-BR')).toBe('A API de parceiros para lojas virtuais');
});

test('a browser gets a page for an unknown address, and any other client gets JSON', async () => {
  const page = await feira.app.inject({ url: '/nothing', headers: BROWSER });
  expect([page.statusCode, page.headers['content-type'], page.headers['cache-control']]).toEqual([
    404,
    'text/html; charset=utf-8',
    'no-store',
  ]);
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  const portuguese = { ...BROWSER, 'accept-language': 'pt-BR' };
  expect((await feira.app.inject({ url: '/nothing', headers: portuguese })).body).toContain(
    'Página não encontrada',
  );
  for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
    const answer = await feira.app.inject({ url: '/nothing', headers });
    expect([answer.statusCode, answer.json().code]).toEqual([404, 'not_found']);
  }
});

test('the API answers in JSON even if a browser calls it', async () => {
  const answer = await feira.app.inject({ url: '/api/v1/products', headers: BROWSER });
  expect([answer.statusCode, answer.json().code]).toEqual([401, 'invalid_token']);
  expect((await feira.app.inject({ url: '/api/nothing', headers: BROWSER })).json().code).toBe('not_found');
});

test.each([
  ['/docs/', '/docs'],
  ['/docs/guides/webhooks/?a=b', '/docs/guides/webhooks?a=b'],
  ['/sign-in/', '/sign-in'],
])('%s redirects to %s', async (from, to) => {
  const answer = await feira.app.inject({ url: from, headers: BROWSER });
  expect([answer.statusCode, answer.headers.location]).toEqual([301, to]);
});

test.each(['//erp.example/', '//docs/', '/docs//', '/nothing/', '/api/v1/products/'])(
  '%s is not redirected',
  async (url) => {
    const { statusCode } = await feira.app.inject({ url, headers: BROWSER });
    expect(statusCode).toBeGreaterThanOrEqual(400);
  },
);

test('robots.txt names the sitemap, which lists pages that exist', async () => {
  expect((await feira.app.inject('/robots.txt')).body).toContain('Sitemap: http://feira.test/sitemap.xml');
  const { body } = await feira.app.inject('/sitemap.xml');
  const addresses = [...body.matchAll(/<loc>http:\/\/feira\.test(.*?)<\/loc>/g)].map(([, path]) => path!);
  expect(addresses.length).toBeGreaterThan(50);
  for (const path of addresses)
    expect([path, (await feira.app.inject(path)).statusCode]).toEqual([path, 200]);
});
