import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALL_SCOPES, type Feira, openFeira } from './support/feira.js';

// The committed openapi.json is a snapshot of what the routes declare. After an intended change, run `npm run openapi`.

let feira: Feira;
beforeAll(async () => {
  feira = await openFeira({ publicUrl: 'http://localhost:3000' });
});
afterAll(() => feira.close());

test('the committed openapi.json equals what the routes declare', async () => {
  const served = (await feira.app.inject('/openapi.json')).json();
  await expect(`${JSON.stringify(served, null, 2)}\n`).toMatchFileSnapshot('../../openapi.json');
});

// The server does not check its schemas when it starts, so this test does.
test('every schema of the document is valid JSON Schema', async () => {
  const ajv = new Ajv2020({ strict: false });
  const schemas = schemasIn((await feira.app.inject('/openapi.json')).json());
  expect(schemas.length).toBeGreaterThan(100);
  for (const schema of schemas) expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
});

/** Returns all schemas in the document: the shared ones and those of parameters, headers and bodies. */
function schemasIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    if (key === 'schema') return [part as object];
    return key === 'schemas' ? Object.values(part as object) : schemasIn(part);
  });
}

interface Operation {
  operationId: string;
  tags: string[];
  security: { oauth2?: string[] }[];
  parameters?: { $ref?: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any shape and asserts on it
  requestBody?: any;
  responses: Record<string, object>;
}

async function operations(): Promise<(Operation & { method: string })[]> {
  const { paths } = (await feira.app.inject('/openapi.json')).json();
  return Object.values(paths as Record<string, Record<string, Operation>>).flatMap((methods) =>
    Object.entries(methods).map(([method, operation]) => ({ method, ...operation })),
  );
}

async function callsThatAnswer(status: number): Promise<string[]> {
  return (await operations())
    .filter(({ responses }) => status in responses)
    .map(({ operationId }) => operationId)
    .sort();
}

test('a call that accepts an Idempotency-Key documents its 409, 413 and 422', async () => {
  const keyed = (await operations()).filter(({ parameters }) =>
    parameters?.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey'),
  );
  expect(keyed.length).toBeGreaterThan(10);
  for (const { operationId, responses } of keyed)
    expect([operationId, Object.keys(responses)]).toEqual([
      operationId,
      expect.arrayContaining(['409', '413', '422']),
    ]);
});

test('a call with the id of a product or an order in its body documents the 404', async () => {
  expect(await callsThatAnswer(404)).toEqual(expect.arrayContaining(['createUpload', 'createShipment']));
  expect(await callsThatAnswer(404)).not.toContain('createProduct');
});

test('a call with an ETag, and no other, documents the 304', async () => {
  expect(await callsThatAnswer(304)).toEqual([
    'getMe',
    'getOrder',
    'getProduct',
    'getWebhook',
    'listImages',
    'listVariations',
    'trackShipment',
  ]);
});

test('a call that needs the orders tables, and no other, documents the 502', async () => {
  expect(await callsThatAnswer(502)).toEqual([
    'addInvoice',
    'changeShippingStatus',
    'createShipment',
    'deleteInvoice',
    'getOrder',
    'getShipment',
    'listCustomers',
    'listInvoices',
    'listOrders',
    'refundOrder',
    'trackShipment',
  ]);
});

test('a body that may be a bare array is documented as such', async () => {
  const patch = (await operations()).find(({ operationId }) => operationId === 'patchVariations')!;
  expect(patch.requestBody.content['application/json'].schema.anyOf).toEqual([
    { $ref: '#/components/schemas/VariationsPatch' },
    expect.objectContaining({ type: 'array', items: { $ref: '#/components/schemas/VariationChange' } }),
  ]);
});

test('every body is required, except that of a refund', async () => {
  const optional = (await operations()).filter(({ requestBody }) => requestBody?.required === false);
  expect(optional.map(({ operationId }) => operationId)).toEqual(['refundOrder']);
});

test('the described tags are those that the calls use', async () => {
  const { tags } = (await feira.app.inject('/openapi.json')).json();
  const used = new Set((await operations()).flatMap((operation) => operation.tags));
  expect(tags.map(({ name }: { name: string }) => name).sort()).toEqual([...used].sort());
});

test('every call is described, states which scope it requires, if any, and has its own operation id', async () => {
  const { paths } = (await feira.app.inject('/openapi.json')).json();
  const operations = Object.entries(
    paths as Record<string, Record<string, { operationId: string; summary: string; description: string }>>,
  )
    .filter(([path]) => path.startsWith('/api/v1'))
    .flatMap(([, methods]) => Object.values(methods));
  const routes = feira.app.apiRoutes.filter(({ method }) => method !== 'HEAD');
  expect(operations).toHaveLength(routes.length);
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  for (const { summary, description } of operations) {
    expect(summary).toBeTruthy();
    expect(description).toMatch(/Requires (the scope|any valid token)/);
  }
});

test('every event is documented as a webhook and as an entry in the event feed', async () => {
  const { webhooks, components } = (await feira.app.inject('/openapi.json')).json();
  const names = components.schemas.EventName.enum;
  expect(Object.keys(webhooks)).toEqual([...names, 'ping']);
  expect(Object.keys(components.schemas.Event.discriminator.mapping)).toEqual(names);
});

test('every operation outside OAuth lists the common error responses and requires only existing scopes', async () => {
  const { components } = (await feira.app.inject('/openapi.json')).json();
  const { scopes } = components.securitySchemes.oauth2.flows.authorizationCode;
  expect(Object.keys(scopes)).toEqual(ALL_SCOPES);
  const calls = (await operations()).filter(({ tags }) => !tags.includes('OAuth'));
  for (const { operationId, responses, security } of calls) {
    expect([operationId, Object.keys(responses)]).toEqual([
      operationId,
      expect.arrayContaining(['400', '401', '403', '429', '500', '503']),
    ]);
    const needed = security.flatMap(({ oauth2 = [] }) => oauth2);
    expect(needed.every((scope) => scope in scopes)).toBe(true);
  }
});
