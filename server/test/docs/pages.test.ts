import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GUIDES } from '../../src/docs/contents.js';
import { type Feira, openFeira } from '../support/feira.js';
import { ROOT } from '../support/process.js';

let feira: Feira;

beforeAll(async () => {
  feira = await openFeira({ publicUrl: 'http://localhost:4567' });
});
afterAll(() => feira.close());

const PAGES = [
  '/docs',
  '/docs/changelog',
  '/docs/reference',
  '/docs/reference/orders',
  '/docs/errors',
  '/docs/errors/busy',
  ...GUIDES.map((name) => `/docs/guides/${name}`),
];

test('every guide in docs/guides is in the navigation', () => {
  const files = readdirSync(join(ROOT, 'docs/guides')).map((file) => file.replace(/\.md$/, ''));
  expect(files.sort()).toEqual([...GUIDES].sort());
});

test.each(PAGES)('%s is served as a page, and as Markdown on request', async (path) => {
  const page = await feira.app.inject({ url: path, headers: { accept: 'text/html' } });
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.body).toContain(`<link rel="alternate" type="text/markdown" href="${path}.md"`);
  const asked = await feira.app.inject({ url: path, headers: { accept: 'text/markdown' } });
  const file = await feira.app.inject(`${path}.md`);
  for (const markdown of [asked, file]) {
    expect([markdown.statusCode, markdown.headers['content-type']]).toEqual([
      200,
      'text/markdown; charset=utf-8',
    ]);
    expect(markdown.body).toMatch(/^# /);
  }
  expect(asked.body).toBe(file.body);
  expect(asked.headers.vary).toContain('accept');
});

test('on a local server, the commands in the quickstart use the address of that server', async () => {
  const { body } = await feira.app.inject('/docs/guides/quickstart.md');
  expect(body).toContain('export FEIRA=http://localhost:4567');
  expect(body).not.toContain('localhost:3000');
});

test('the documentation lists every call, and the page of every group has an example request', async () => {
  const { paths, tags } = (await feira.app.inject('/openapi.json')).json();
  const overview = (await feira.app.inject('/docs')).body;
  for (const [path, methods] of Object.entries(
    paths as Record<string, Record<string, { operationId: string }>>,
  ))
    for (const { operationId } of Object.values(methods)) {
      expect(overview).toContain(`#${operationId}"`);
      expect(overview).toContain(`<code>${path}</code>`);
    }
  for (const { name } of tags as { name: string }[]) {
    const page = await feira.app.inject(`/docs/reference/${name.toLowerCase()}`);
    expect([name, page.statusCode]).toEqual([name, 200]);
    expect(page.body).toContain('curl');
  }
});

test('the reference of webhooks has a section for every event', async () => {
  const { webhooks } = (await feira.app.inject('/openapi.json')).json();
  const { body } = await feira.app.inject('/docs/reference/webhooks');
  for (const event of Object.keys(webhooks)) expect(body).toContain(`id="${event}"`);
});

test('the search finds guides, calls and error codes, and escapes the search term', async () => {
  const find = async (query: string) =>
    (await feira.app.inject(`/docs/search?q=${encodeURIComponent(query)}`)).body;
  expect(await find('signature')).toContain('/docs/guides/webhooks#verify-the-signature');
  expect(await find('PATCH /api/v1/stock')).toContain('/docs/reference/stock#setStockBySku');
  expect(await find('snapshot_running')).toContain('/docs/errors/snapshot_running');
  expect(await find('<script>alert(1)</script>')).not.toContain('<script>alert');
  expect(await find('no such thing anywhere')).toContain('Nothing found');
});

test.each(['/docs/search', '/docs/search?q=', '/docs/search?q=a&q=b', '/docs/search?q[]=1'])(
  '%s returns 200',
  async (path) => {
    expect((await feira.app.inject(path)).statusCode).toBe(200);
  },
);

test('llms.txt links to the Markdown of every guide, and SKILL.md is served', async () => {
  const index = (await feira.app.inject('/llms.txt')).body;
  for (const name of GUIDES) expect(index).toContain(`http://localhost:4567/docs/guides/${name}.md`);
  expect((await feira.app.inject('/docs/SKILL.md')).body).toMatch(/^---\nname: feira/);
});

test.each([
  '/docs/guides/nothing',
  '/docs/guides/constructor',
  '/docs/guides/..%2F..%2FREADME',
  '/docs/reference/x',
])('%s is not found', async (path) => {
  expect((await feira.app.inject({ url: path, headers: { accept: 'text/html' } })).statusCode).toBe(404);
});
