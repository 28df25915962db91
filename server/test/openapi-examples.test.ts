import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureDemo } from '../src/commands/demo.js';
import { type Feira, openFeira } from './support/feira.js';
import { temporaryFolder } from './support/process.js';
import { order } from './support/shop.js';

interface Sample {
  method: string;
  path: string;
  operationId: string;
  example: Record<string, unknown> | undefined;
}

let feira: Feira;
let folder: ReturnType<typeof temporaryFolder>;
let samples: Sample[];
let demo: Awaited<ReturnType<typeof ensureDemo>>;

beforeAll(async () => {
  feira = await openFeira();
  folder = temporaryFolder();
  demo = await ensureDemo(feira.context, folder.path);
  const { paths } = (await feira.app.inject('/openapi.json')).json();
  samples = Object.entries(paths as Record<string, Record<string, object>>).flatMap(([path, methods]) =>
    // biome-ignore lint/suspicious/noExplicitAny: a test reads any shape and asserts on it
    Object.entries(methods as Record<string, any>)
      .filter(([, { requestBody }]) => requestBody?.content['application/json'])
      .map(([method, { operationId, requestBody }]) => ({
        method: method.toUpperCase(),
        path,
        operationId,
        example: requestBody.content['application/json'].example,
      })),
  );
});
afterAll(async () => {
  await feira.close();
  folder.remove();
});

test('every JSON request body has an example', () => {
  expect(samples.length).toBeGreaterThan(10);
  expect(
    samples.filter(({ example }) => example === undefined).map(({ operationId }) => operationId),
  ).toEqual([]);
});

async function call(method: string, url: string, body?: unknown) {
  const response = await feira.app.inject({
    method: method as 'POST',
    url,
    headers: {
      authorization: `Bearer ${demo.token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  });
  return { status: response.statusCode, body: response.json() };
}

/**
 * Replaces the path parameters and the ids in the body with those of the demo store. Everything else is sent as
 * documented.
 */
async function prepare({ path, operationId, example }: Sample) {
  const products: { id: string; sku: string | null; hasVariants: boolean }[] = (
    await call('GET', '/api/v1/products')
  ).body.data;
  const simple = products.find(({ sku }) => sku === 'CAN-ESM')!.id;
  const varied = products.find(({ hasVariants }) => hasVariants)!.id;
  const productId = path.includes('/variants') ? varied : simple;
  const paid = () => order(feira, demo.workspaceId, { productId: simple, variantId: null, quantity: 1 });
  const image = async () => {
    const picture = { url: 'https://erp.example/pictures/second.jpg' };
    return (await call('POST', `/api/v1/products/${simple}/images`, picture)).body.id;
  };
  const webhook = async () => {
    const subscription = { url: 'https://erp.example/hooks/second', events: ['order.paid'] };
    return (await call('POST', '/api/v1/webhooks', subscription)).body.id;
  };
  const variation = async () => (await call('GET', `/api/v1/products/${varied}/variants`)).body.data[0].id;
  const idOf = (): Promise<string> | string => {
    if (path.startsWith('/api/v1/orders')) return paid();
    return path.startsWith('/api/v1/webhooks') ? webhook() : productId;
  };
  const values: Record<string, () => Promise<string> | string> = {
    id: idOf,
    imageId: image,
    variantId: variation,
    sku: () => 'CAM-P-AZ',
    productId: () => productId,
    orderId: paid,
  };
  let url = path;
  for (const [placeholder, name] of path.matchAll(/\{(\w+)\}/g)) {
    if (!values[name!]) throw new Error(`${operationId}: no value for ${placeholder}`);
    url = url.replace(placeholder, await values[name!]!());
  }
  const body = { ...example };
  for (const name of ['productId', 'orderId']) if (name in body) body[name] = await values[name]!();
  return { url, body };
}

test('every example succeeds when it is sent to the demo store', async () => {
  const answers: [string, number, string][] = [];
  for (const sample of samples) {
    const { url, body } = await prepare(sample);
    const answer = await call(sample.method, url, body);
    answers.push([sample.operationId, answer.status, answer.body.error ?? '']);
    // A batch returns 200 even if some of its entries fail.
    if (sample.path === '/api/v1/stock')
      expect(answer.body.data.map(({ ok }: { ok: boolean }) => ok)).toEqual([true, true]);
  }
  expect(answers.filter(([, status]) => status >= 300)).toEqual([]);
});
