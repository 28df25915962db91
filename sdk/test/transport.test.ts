import { expect, test } from 'vitest';
import { Feira } from '../src/client.js';
import { FeiraError } from '../src/errors.js';
import type { FeiraOptions } from '../src/options.js';
import { InstantClock } from './support/instant-clock.js';
import { answer, cut, hang, refuse, ScriptedServer } from './support/scripted-server.js';

const PRODUCT = { name: 'Caneca', price: 10 };

function clientOf({ url }: ScriptedServer, options: Partial<FeiraOptions> = {}) {
  const clock = new InstantClock();
  return { clock, client: new Feira({ baseUrl: url, token: 'token', clock, ...options }) };
}

async function failure(work: PromiseLike<unknown>): Promise<FeiraError> {
  const error = await Promise.resolve(work).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof FeiraError)) throw new Error(`expected a FeiraError, got ${error}`);
  return error;
}

test('repeats a failed write with the same Idempotency-Key and the same body', async () => {
  await using server = await ScriptedServer.open(
    refuse(503, 'busy'),
    cut,
    refuse(500, 'internal_error'),
    answer(201),
  );
  const { client } = clientOf(server);
  await client.products.create(PRODUCT);
  expect(server.seen).toHaveLength(4);
  expect(new Set(server.seen.map(({ body }) => body))).toEqual(new Set([JSON.stringify(PRODUCT)]));
  const keys = new Set(server.seen.map(({ headers }) => headers['idempotency-key']));
  expect([...keys]).toEqual([expect.stringMatching(/^.{36}$/)]);
});

test('sends a different Idempotency-Key with each write, and none with a read', async () => {
  await using server = await ScriptedServer.open(answer(200));
  const { client } = clientOf(server);
  await client.products.create(PRODUCT);
  await client.products.create(PRODUCT);
  await client.me();
  const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
  expect(new Set(keys).size).toBe(3);
  expect(keys[2]).toBeUndefined();
});

test('waits 1, 2, 4 and 8 seconds, each extended by up to a quarter, and gives up after five attempts', async () => {
  await using server = await ScriptedServer.open(refuse(502, 'orders_unavailable'));
  const { client, clock } = clientOf(server);
  const error = await failure(client.orders.get('1'));
  expect(error).toMatchObject({ status: 502, code: 'orders_unavailable', attempts: 5 });
  expect(server.seen).toHaveLength(5);
  for (const [index, seconds] of [1, 2, 4, 8].entries()) {
    expect(clock.waits[index]).toBeGreaterThanOrEqual(seconds * 1_000);
    expect(clock.waits[index]).toBeLessThanOrEqual(seconds * 1_250);
  }
  expect(clock.waits).toHaveLength(4);
});

test('never waits longer than 30 seconds if the response has no Retry-After', async () => {
  await using server = await ScriptedServer.open(refuse(500, 'internal_error'));
  const { client, clock } = clientOf(server, { maxAttempts: 9 });
  await failure(client.me());
  expect(clock.waits).toHaveLength(8);
  expect(Math.max(...clock.waits)).toBe(30_000);
});

test('waits as long as Retry-After says', async () => {
  await using server = await ScriptedServer.open(
    refuse(429, 'rate_limited', { 'retry-after': '7' }),
    answer(200),
  );
  const { client, clock } = clientOf(server);
  await client.me();
  expect(clock.waits).toEqual([7_000]);
});

test('fails immediately if Retry-After asks for a wait of hours', async () => {
  await using server = await ScriptedServer.open(refuse(429, 'rate_limited', { 'retry-after': '7200' }));
  const { client, clock } = clientOf(server);
  expect(await failure(client.me())).toMatchObject({ status: 429, attempts: 1 });
  expect(clock.waits).toEqual([]);
});

test('follows X-Should-Retry even if the status suggests otherwise', async () => {
  await using retried = await ScriptedServer.open(
    refuse(409, 'idempotency_key_in_use', { 'x-should-retry': 'true' }),
    answer(201),
  );
  await clientOf(retried).client.products.create(PRODUCT);
  expect(retried.seen).toHaveLength(2);
  await using final = await ScriptedServer.open(refuse(503, 'busy', { 'x-should-retry': 'false' }));
  expect((await failure(clientOf(final).client.me())).attempts).toBe(1);
});

test('does not repeat a request that was rejected with 409 and no X-Should-Retry', async () => {
  await using server = await ScriptedServer.open(refuse(409, 'duplicate_name'));
  const error = await failure(clientOf(server).client.products.create(PRODUCT));
  expect(error).toMatchObject({
    message: 'a sentence about duplicate_name',
    status: 409,
    requestId: 'request 1',
    docUrl: 'https://docs/duplicate_name',
    attempts: 1,
  });
});

test('ends an attempt after its timeout and tries again', async () => {
  await using server = await ScriptedServer.open(hang, answer(200, { name: 'Loja' }));
  const { client } = clientOf(server, { timeoutMs: 100 });
  expect(await client.me()).toEqual({ name: 'Loja' });
});

test('ends the whole call at its deadline', async () => {
  await using server = await ScriptedServer.open(hang);
  const { client } = clientOf(server, { deadlineMs: 100 });
  expect(await failure(client.me())).toMatchObject({ status: 0, code: 'deadline_exceeded', attempts: 1 });
});

test('the deadline covers all parts of a batch', async () => {
  const line = { sku: 'A', ok: true, quantity: 1 };
  await using server = await ScriptedServer.open(({ body }, response) => {
    const data = JSON.parse(body).entries.map(() => line);
    setTimeout(() => response.end(JSON.stringify({ data })), 150);
  });
  const client = new Feira({ baseUrl: server.url, token: 'token', deadlineMs: 1_000 });
  const entries = Array.from({ length: 5_000 }, () => ({ sku: 'A', quantity: 1 }));
  const error = await failure(client.stock.set(entries));
  expect(error.code).toBe('deadline_exceeded');
  expect(server.seen.length).toBeLessThan(10);
  expect(error.completed?.length).toBeLessThan(5_000);
});

test('the deadline also ends the wait for a token', async () => {
  await using server = await ScriptedServer.open(answer(200));
  const token = { accessToken: () => new Promise<string>(() => {}) };
  const client = new Feira({ baseUrl: server.url, token, deadlineMs: 100 });
  expect(await failure(client.me())).toMatchObject({ code: 'deadline_exceeded', attempts: 0 });
});

test('reports the last failure when the deadline passes', async () => {
  await using server = await ScriptedServer.open(refuse(503, 'busy'));
  const client = new Feira({ baseUrl: server.url, token: 'token', deadlineMs: 300 });
  const error = await failure(client.me());
  expect(error).toMatchObject({
    code: 'deadline_exceeded',
    attempts: 1,
    cause: { status: 503, code: 'busy' },
  });
  expect(error.message).toContain('a sentence about busy');
});

test('ends the call when the caller aborts it', async () => {
  const abort = new AbortController();
  await using server = await ScriptedServer.open(() => abort.abort('enough'));
  const { client } = clientOf(server);
  const error = await failure(client.me({ signal: abort.signal }));
  expect(error).toMatchObject({ code: 'aborted', cause: 'enough', attempts: 1 });
});

test('names the host and the reason when the server cannot be reached', async () => {
  const server = await ScriptedServer.open(answer(200));
  const { client } = clientOf(server);
  await server[Symbol.asyncDispose]();
  const error = await failure(client.me());
  expect(error).toMatchObject({ code: 'connection_failed', attempts: 5 });
  expect(error.message).toMatch(/^Could not reach 127\.0\.0\.1:\d+: ECONNREFUSED$/);
});

test('does not follow a redirect, but reports its target', async () => {
  await using server = await ScriptedServer.open(answer(308, {}, { location: 'https://elsewhere.example/' }));
  const error = await failure(clientOf(server).client.me());
  expect(error).toMatchObject({ status: 308, code: 'invalid_response' });
  expect(error.message).toContain('https://elsewhere.example/');
});

test('reports the status of a redirect that has no target', async () => {
  await using server = await ScriptedServer.open(answer(302));
  const error = await failure(clientOf(server).client.me());
  expect(error).toMatchObject({ status: 302, code: 'invalid_response', attempts: 1 });
  expect(error.message).toContain('status 302');
  expect(error.message).not.toContain('null');
});

test('rejects a page of events without a cursor, and reports the number of attempts', async () => {
  await using server = await ScriptedServer.open(answer(200, { data: [], meta: {} }));
  const { client } = clientOf(server);
  const read = async () => {
    for await (const _ of client.events.after());
  };
  expect(await failure(read())).toMatchObject({ status: 200, code: 'invalid_response', attempts: 1 });
});

test('recognizes a response that is not from the API', async () => {
  await using server = await ScriptedServer.open((_seen, response) => response.end('<html>'));
  expect(await failure(clientOf(server).client.me())).toMatchObject({
    status: 200,
    code: 'invalid_response',
    attempts: 1,
  });
});

test('rejects an empty id, which would address another resource', async () => {
  await using server = await ScriptedServer.open(answer(200));
  const { client } = clientOf(server);
  expect(() => client.products.get('')).toThrow('Expected an id or code, got ""');
  expect(server.seen).toEqual([]);
});
