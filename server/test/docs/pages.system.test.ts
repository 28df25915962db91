import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GUIDES } from '../../src/docs/contents.js';
import { openBrowser } from '../support/browser.js';
import { type ServerProcess, startServer, temporaryFolder, until } from '../support/process.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PAGES = [
  '/',
  '/?lang=pt',
  '/nothing-here',
  '/docs',
  '/docs/changelog',
  '/docs/design',
  '/docs/errors',
  '/docs/errors/busy',
  '/docs/search?q=stock',
  '/docs/reference',
  ...['oauth', 'products', 'variations', 'stock', 'images', 'orders', 'webhooks', 'events'].map(
    (group) => `/docs/reference/${group}`,
  ),
  ...GUIDES.map((name) => `/docs/guides/${name}`),
  '/sign-in',
  '/partners',
];
const MAX_BYTES = 60_000;

let folder: ReturnType<typeof temporaryFolder>;
let server: ServerProcess;
let address: string;
let browser: Awaited<ReturnType<typeof openBrowser>>;

beforeAll(async () => {
  folder = temporaryFolder();
  server = await startServer({ FEIRA_DATA: folder.path });
  await until(() => server.output().includes('Feira is up.'));
  address = server.url.replace('127.0.0.1', 'localhost');
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.end();
  await server.stop('SIGTERM');
  folder.remove();
});

interface AxeResult {
  violations: { id: string; nodes: { html: string }[] }[];
}

async function violationsOn(page: Page): Promise<string[]> {
  // evaluate() is not restricted by the page's content security policy, which forbids foreign scripts.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResult> } }).axe.run(),
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

describe.each([
  { width: 1280, colorScheme: 'light' as const },
  { width: 375, colorScheme: 'dark' as const },
])('at $width px, $colorScheme', ({ width, colorScheme }) => {
  test.each(PAGES)(
    '%s has no accessibility or console errors, fits the width of the screen, and loads only our own files, with under 60 kB of CSS and JS',
    async (path) => {
      const page = await browser.newPage();
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      const foreign: string[] = [];
      const complaints: string[] = [];
      let bytes = 0;
      page.on('request', (request) => {
        if (!request.url().startsWith(address)) foreign.push(request.url());
      });
      page.on('response', async (response) => {
        if (/\.(css|js)$/.test(new URL(response.url()).pathname)) bytes += (await response.body()).length;
      });
      page.on('console', (message) => {
        const isExpected = path === '/nothing-here' && message.text().includes('404');
        if (message.type() === 'error' && !isExpected) complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.goto(address + path);
      expect(await violationsOn(page)).toEqual([]);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect({ overflow, foreign, complaints }).toEqual({ overflow: 0, foreign: [], complaints: [] });
      expect(bytes).toBeLessThan(MAX_BYTES);
      await page.close();
    },
  );
});

test('a call can be sent from the reference with the token of the demo store', async () => {
  const page = await browser.newPage();
  await page.goto(`${address}/docs/reference/products`);
  const call = page.locator('.call', { hasText: 'List products' });
  await call.getByText('Try it with the demo store').click();
  await call.getByLabel('limit').fill('1');
  await call.getByRole('button', { name: 'Send' }).click();
  await call.getByText('Response 200').nth(1).waitFor();
  expect(await call.locator('.try code').textContent()).toContain('"limit": 1');
  await page.close();
});

test('the token of the demo store is shown only if the page is requested at PUBLIC_URL', async () => {
  const { token } = JSON.parse(readFileSync(`${folder.path}/demo.json`, 'utf8'));
  const read = async (url: string) => (await fetch(`${url}/docs/reference/products`)).text();
  expect(await read(address)).toContain(token);
  expect(await read(server.url)).not.toContain(token);
});
