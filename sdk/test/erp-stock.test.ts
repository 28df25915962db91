import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { ROOT } from '../../server/test/support/process.js';
import { type LiveServer, openLiveServer } from './support/live-server.js';

// The path is not a literal, because for a literal the compiler would require types for the JavaScript of the example.
const { receiveGoods, sendStock } = await import(join(ROOT, 'sdk/examples/erp/stock.mjs'));

let server: LiveServer;
beforeAll(async () => {
  server = await openLiveServer();
});
afterAll(() => server.close());
afterEach(() => {
  vi.restoreAllMocks();
});

test('the example ERP does not report a rejected stock change as sent', async () => {
  const { client } = await server.connect();
  await client.products.create({ name: 'Caneca', price: 10, sku: 'A' });
  const entries = [
    { sku: 'A', delta: 2 },
    { sku: 'B', delta: 3 },
    { sku: 'A', delta: -9 },
  ];
  const state = { data: { stockToSend: [{ key: 'k1', entries }] }, save() {} };
  const log = vi.spyOn(console, 'log').mockReturnValue();
  await sendStock(client, state);
  expect(log.mock.calls.flat()).toEqual([
    'Sent 2 units of A',
    expect.stringMatching(/^! B: /),
    expect.stringMatching(/^! A: /),
  ]);
  expect(state.data.stockToSend).toEqual([]);
});

test('the example ERP receives goods for any product with a SKU, even if other products have none', async () => {
  const products = [{ sku: null }, { sku: 'A' }, { sku: 'B' }];
  const data = { products, stockToSend: [] as unknown[] };
  for (const random of [0, 0.999]) {
    vi.spyOn(Math, 'random').mockReturnValue(random);
    await receiveGoods({ data, save() {} });
  }
  expect(data.stockToSend).toMatchObject([{ entries: [{ sku: 'A' }] }, { entries: [{ sku: 'B' }] }]);
});
