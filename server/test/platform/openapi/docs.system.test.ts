import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../../support/browser.js';
import { type Feira, openFeira } from '../../support/feira.js';

let feira: Feira;
let address: string;
let browser: Awaited<ReturnType<typeof openBrowser>>;

beforeAll(async () => {
  feira = await openFeira();
  address = await feira.app.listen({ host: '127.0.0.1', port: 0 });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.end();
  await feira.close();
});

test('the reference page shows every call, asks no other host and breaks no rule of its own policy', async () => {
  const page = await browser.newPage();
  const foreign: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(address) && !/^(data|blob|about):/.test(request.url()))
      foreign.push(request.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));

  await page.goto(`${address}/docs`);
  await page.getByRole('heading', { name: 'Feira Partner API' }).first().waitFor();
  for (const title of [
    'List products',
    'Set the stock of many SKUs',
    'Create or update the variations of a product',
  ]) {
    await page.getByText(title).first().waitFor();
  }
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/docs.png` });

  expect(foreign).toEqual([]);
  expect(complaints).toEqual([]);
});
