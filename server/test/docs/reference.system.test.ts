import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSession } from '../support/guide.js';
import {
  feiraCommand,
  freePort,
  type ServerProcess,
  startServer,
  temporaryFolder,
  until,
} from '../support/process.js';
import type { ShellSession } from '../support/shell-session.js';

const GROUPS = [
  'account',
  'products',
  'variations',
  'stock',
  'images',
  'orders',
  'shipments',
  'customers',
  'webhooks',
  'events',
  'categories',
];

const EXAMPLE_SKU = 'CAM-P-AZ';

let folder: ReturnType<typeof temporaryFolder>;
let server: ServerProcess;
let session: ShellSession;
let token: string;
let orders: string[];

beforeAll(async () => {
  folder = temporaryFolder();
  const port = await freePort();
  const env = { PORT: String(port), PUBLIC_URL: `http://localhost:${port}`, FEIRA_DATA: folder.path };
  server = await startServer(env);
  await until(() => server.output().includes('Feira is up.'));
  token = JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8')).token;
  const bought = await feiraCommand(['buy', '--store', 'demo-store', '--count', '14', '--json'], env);
  orders = JSON.parse(bought.stdout).orders;
  session = openSession('bash', folder.path, port);
  await session.run(`export FEIRA=${server.url} TOKEN=${token}`);
});
afterAll(async () => {
  await session.close();
  await server.stop('SIGTERM');
  folder.remove();
});

// biome-ignore lint/suspicious/noExplicitAny: a test reads any shape
async function call(method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.json();
}

let made = 0;
let invoiced = '';

/**
 * Returns a value for each variable of a command. Products are those of the demo store, except the one for the command
 * that deletes a product. Webhooks, shipments and images are created for each command, because some commands delete or
 * change them.
 */
async function variablesFor(method: string, path: string): Promise<Record<string, string>> {
  const { data: products } = await call('GET', '/products?limit=100&include=variants');
  // The examples with variations use this product.
  const varied = products.find(({ variants }: { variants: { sku: string }[] }) =>
    variants.some(({ sku }) => sku === EXAMPLE_SKU),
  );
  const simple = products.find((product: { hasVariants: boolean }) => !product.hasVariants);
  const values: Record<string, string> = { PRODUCT_ID: simple.id };
  if (path.includes('/variants')) Object.assign(values, { PRODUCT_ID: varied.id, SKU: EXAMPLE_SKU });
  if (method === 'DELETE' && path.endsWith('/products/{id}'))
    values.PRODUCT_ID = (await call('POST', '/products', { name: `Made ${++made}`, price: 1 })).id;
  if (path.includes('{imageId}')) {
    const picture = { url: `https://erp.example/${++made}.jpg` };
    values.IMAGE_ID = (await call('POST', `/products/${simple.id}/images`, picture)).id;
  }
  if (/orders|shipments/.test(path)) values.ORDER_ID = orders.pop()!;
  if (method === 'POST' && path.endsWith('/invoices')) invoiced = values.ORDER_ID!;
  if (path.includes('{key}')) {
    const { data } = await call('GET', `/orders/${invoiced}/invoices`);
    Object.assign(values, { ORDER_ID: invoiced, KEY: data[0].key });
  }
  if (path.includes('{code}'))
    values.CODE = (await call('POST', '/shipments', { orderId: values.ORDER_ID })).code;
  if (path.includes('/webhooks/{id}')) {
    const url = `http://localhost:${await freePort()}/hooks`;
    const { id } = await call('POST', '/webhooks', { url, events: ['product.created'] });
    values.WEBHOOK_ID = id;
    if (path.includes('{deliveryId}')) values.DELIVERY_ID = await deliveryOf(id);
  }
  return values;
}

async function deliveryOf(webhookId: string): Promise<string> {
  await call('POST', '/products', { name: `Made ${++made}`, price: 1 });
  let id = '';
  await until(async () => {
    const { data } = await call('GET', `/webhooks/${webhookId}/deliveries`);
    id = data[0]?.id ?? '';
    return id !== '';
  });
  return id;
}

test.each(GROUPS)('every request in the reference of %s succeeds as printed', async (group) => {
  const markdown = await (await fetch(`${server.url}/docs/reference/${group}.md`)).text();
  const calls = [...markdown.matchAll(/^`([A-Z]+) (\S+)`$[\s\S]*?```sh\n([\s\S]*?)```/gm)];
  expect(calls.length).toBeGreaterThan(0);
  for (const [, method, path, command] of calls) {
    const variables = await variablesFor(method!, path!);
    const exports = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`);
    await session.run(`${exports.join('\n')}\n${command}`);
  }
});
