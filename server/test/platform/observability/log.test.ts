import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newSecret } from '../../../src/oauth/secrets.js';
import { sql } from '../../../src/platform/db/sql.js';
import { newRequestId } from '../../../src/platform/http/request-id.js';
import { createLog } from '../../../src/platform/observability/log.js';
import { createMetrics } from '../../../src/platform/observability/metrics.js';
import { logRequests } from '../../../src/platform/observability/request-log.js';
import { type Answer, type Feira, openFeira, type StoreClient } from '../../support/feira.js';
import { until } from '../../support/process.js';

let feira: Feira;
let store: StoreClient;
let lines: string[];

beforeEach(async () => {
  lines = [];
  feira = await openFeira({ logTo: { write: (line: string) => void lines.push(line) } });
  store = await feira.store();
});
afterEach(() => feira.close());

function linesOf(answer: Answer): Record<string, unknown>[] {
  const id = answer.headers['x-request-id'];
  return lines.map((line) => JSON.parse(line)).filter((line) => line.requestId === id);
}

test('every call writes one "request" line with its request id and, if known, its caller and User-Agent', async () => {
  const agent = { 'user-agent': 'bling/4.2' };
  const answers = [
    await store.get('/products?search=secretive', agent),
    await store.post('/products', { name: 'Quiet', price: 1 }, agent),
    await store.get('/nowhere', agent),
    await store.post('/products', 'not json', agent),
  ];
  for (const answer of answers) {
    expect(linesOf(answer)).toEqual([
      expect.objectContaining({
        msg: 'request',
        level: 'info',
        status: answer.status,
        path: expect.stringMatching(/^\/api\/v1\/(products|nowhere)$/),
        userAgent: 'bling/4.2',
        workspaceId: store.workspaceId,
        clientId: store.clientId,
        ms: expect.any(Number),
      }),
    ]);
  }
  const unknown = await store.get('/me', { authorization: 'Bearer unknown', ...agent });
  expect(linesOf(unknown)).toEqual([expect.objectContaining({ status: 401, userAgent: 'bling/4.2' })]);
  // The checks of all responses may also read /openapi.json, which is not under this prefix.
  const calls = lines.map((line) => JSON.parse(line)).filter(({ path }) => path.startsWith('/api/v1/'));
  expect(new Set(calls.map(({ requestId }) => requestId)).size).toBe(5);
});

test('a call without a User-Agent is accepted and logged without one', async () => {
  const base = await feira.app.listen({ port: 0, host: '127.0.0.1' });
  const headers = { authorization: `Bearer ${store.token}` };
  const [response] = (await once(get(`${base}/api/v1/me`, { headers }), 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  expect(response.statusCode).toBe(200);
  await until(() => !!lines.at(-1)?.includes(`"requestId":"${response.headers['x-request-id']}"`));
  expect(JSON.parse(lines.at(-1)!)).not.toHaveProperty('userAgent');
});

test('a request line is valid JSON whatever characters the path and the User-Agent contain', async () => {
  const agent = 'say "hi" \\ to\tLoja São João';
  await feira.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = feira.app.server.address() as AddressInfo;
  const request = get({ port, path: '/a"b\\c', headers: { 'user-agent': agent } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  const id = response.headers['x-request-id'];
  const ofRequest = () => lines.filter((each) => each.includes(`"requestId":"${id}"`));
  await until(() => ofRequest().length > 0);
  const [line, ...others] = ofRequest();
  expect(others).toEqual([]);
  expect(line).toMatch(/^[^\n]*\n$/);
  expect(JSON.parse(line!)).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    requestId: id,
    method: 'GET',
    path: '/a"b\\c',
    status: 404,
    ms: expect.any(Number),
    userAgent: agent,
    msg: 'request',
  });
});

test('at the log level "warn" no request lines are written', async () => {
  const log = createLog('warn', { write: (line: string) => void lines.push(line) });
  const app = Fastify({ genReqId: newRequestId });
  logRequests(app, log, createMetrics());
  app.get('/', async () => 'found');
  expect((await app.inject('/')).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  log.warn('shown');
  await app.close();
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['shown']);
});

test('request ids are distinct random UUIDs of version 4', () => {
  const ids = Array.from({ length: 1000 }, newRequestId);
  expect(new Set(ids).size).toBe(1000);
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  // The digits that are not fixed take all their values.
  for (const place of [0, 7, 9, 15, 20, 24, 35]) expect(new Set(ids.map((id) => id[place])).size).toBe(16);
});

test('no line contains a token, a secret, a query or a body, not even when the call fails', async () => {
  const secrets = [
    store.token,
    newSecret('access'),
    newSecret('refresh'),
    newSecret('client'),
    'hunter2 in the body',
  ];
  const [, ...others] = secrets;
  // When a row violates a check constraint, PostgreSQL's error contains all values of the row.
  const { autocommit } = feira.context.db.store('test');
  await autocommit.query(sql`alter table products add constraint refuse_all check (price < 0) not valid`);
  const failed = await store.post('/products', { name: secrets.at(-1), price: 1 });
  await autocommit.query(sql`alter table products drop constraint refuse_all`);
  expect(failed.status).toBe(500);
  expect(linesOf(failed).map(({ level }) => level)).toEqual(['error', 'info']);
  expect(linesOf(failed)[0]!.err).toMatchObject({
    code: '23514',
    constraint: 'refuse_all',
    stack: expect.any(String),
  });
  for (const secret of others) {
    await store.get(`/me?access_token=${encodeURIComponent(secret)}`);
    await store.get('/me', { authorization: `Bearer ${secret}` });
    await store.get('/me', { authorization: secret, cookie: `session=${secret}` });
    await store.post('/products', `{"name":"${secret}`, { 'idempotency-key': secret });
    await store.post('/products', { name: secret, price: -1 });
    await store.get(`/products?limit=${encodeURIComponent(secret)}`);
  }
  expect(lines.length).toBeGreaterThan(20);
  const log = lines.join('');
  for (const secret of secrets) {
    expect(log).not.toContain(secret);
    expect(log).not.toContain(encodeURIComponent(secret));
  }
});

test('every response is measured by method, route and status', async () => {
  const { body } = await store.post('/products', { name: 'Measured', price: 1 });
  for (const path of [`/products/${body.id}`, `/products/${body.id}`, '/products/unknown'])
    await store.get(path);
  const metrics = (await feira.app.inject('/metrics')).body;
  const value = (name: string, labels: string) =>
    Number(
      metrics
        .split('\n')
        .find((line) => line.startsWith(`feira_http_request_duration_seconds_${name}{${labels}} `))
        ?.split(' ')[1],
    );
  const found = 'method="GET",route="/api/v1/products/:id",status="200"';
  expect(value('count', found)).toBe(2);
  expect(value('bucket', `le="+Inf",${found}`)).toBe(2);
  expect(value('count', found.replace('200', '404'))).toBe(1);
  expect(value('sum', found)).toBeGreaterThan(0);
});
