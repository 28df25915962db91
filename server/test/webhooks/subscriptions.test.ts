import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { raw, sql } from '../../src/platform/db/sql.js';
import { newId } from '../../src/platform/schema/ids.js';
import { expectRejected } from '../support/expect-rejected.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { otherAppOf } from '../support/webhooks.js';

let feira: Feira;
let store: StoreClient;
const url = 'http://203.0.114.1/hook';
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

beforeAll(async () => {
  feira = await openFeira({ webhooks: { allowPrivate: false } });
});
afterAll(() => feira.close());
beforeEach(async () => {
  store = await feira.store();
});

function subscribe(body: object = {}, headers: Record<string, string> = {}) {
  return store.post('/webhooks', { url, events: ['stock.updated'], ...body }, headers);
}

describe('a subscription', () => {
  test('is returned completely on creation, and without its secret when read later', async () => {
    const made = await subscribe();
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      url,
      events: ['stock.updated'],
      filter: null,
      excludeOwn: false,
      status: 'active',
      createdAt: expect.stringMatching(RFC_3339),
      lastDeliveryAt: null,
      secret: expect.stringMatching(/^whsec_/),
    });
    const bytes = Buffer.from(made.body.secret.slice(6), 'base64');
    expect(bytes).toHaveLength(32);
    expect(`whsec_${bytes.toString('base64')}`).toBe(made.body.secret);

    const { secret, ...shown } = made.body;
    const list = await store.get('/webhooks');
    expect(list.status).toBe(200);
    expect(list.body).toEqual({ data: [shown] });
    const one = await store.get(`/webhooks/${shown.id}`);
    expect(one.status).toBe(200);
    expect(one.body).toEqual(shown);
    const again = await store.get(`/webhooks/${shown.id}`, { 'if-none-match': String(one.headers.etag) });
    expect(again.status).toBe(304);
  });

  test('is listed with the other subscriptions, oldest first', async () => {
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push((await subscribe({ url: `${url}/${i}` })).body.id);
    const { body } = await store.get('/webhooks');
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(ids);
  });

  test('is not found after its deletion', async () => {
    const { id } = (await subscribe()).body;
    const gone = await store.delete(`/webhooks/${id}`);
    expect(gone.status).toBe(200);
    expect(gone.body).toEqual({ id, deleted: true });
    expect((await store.get('/webhooks')).body.data).toEqual([]);
    expectRejected(await store.delete(`/webhooks/${id}`), 404);
  });

  test('of another app or another store is not found by any call', async () => {
    const { id } = (await subscribe()).body;
    for (const stranger of [await otherAppOf(feira, store), await feira.store()]) {
      expect((await stranger.get('/webhooks')).body.data).toEqual([]);
      for (const [method, path, body] of callsOn(id))
        expectRejected(await stranger.call(method, path, body), 404);
    }
    expect((await store.get('/webhooks')).body.data).toMatchObject([{ id, url, excludeOwn: false }]);
  });

  test('that does not exist is not found, whatever the format of the id', async () => {
    for (const id of [newId(), 'nonsense', '0', '%00', 'x'.repeat(80)])
      for (const [method, path, body] of callsOn(id))
        expectRejected(await store.call(method, path, body), 404);
  });

  test('cannot be accessed without webhooks:manage', async () => {
    const { id } = (await subscribe()).body;
    const reader = await store.withScopes(['products:read', 'products:write', 'stock:write', 'orders:read']);
    const calls = [['GET', '/webhooks'], ['POST', '/webhooks'], ['GET', '/events'], ...callsOn(id)];
    for (const [method, path] of calls) expectRejected(await reader.call(method!, path!), 403);
  });
});

function callsOn(id: string): [string, string, object?][] {
  return [
    ['GET', `/webhooks/${id}`],
    ['PATCH', `/webhooks/${id}`, { excludeOwn: true }],
    ['DELETE', `/webhooks/${id}`],
    ['POST', `/webhooks/${id}/ping`],
    ['POST', `/webhooks/${id}/rotate-secret`],
    ['GET', `/webhooks/${id}/deliveries`],
    ['POST', `/webhooks/${id}/deliveries/${newId()}/redeliver`],
    ['POST', `/webhooks/${id}/replay`, { from: '2026-01-31T00:00:00Z', status: 'all' }],
  ];
}

describe('the secret', () => {
  test('is not stored in plain text, not even in the response kept for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'once' };
    const made = await subscribe({}, headers);
    const again = await subscribe({}, headers);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body).toEqual(made.body);
    const rotated = await store.post(
      `/webhooks/${made.body.id}/rotate-secret`,
      {},
      { 'idempotency-key': 'twice' },
    );
    expect(rotated.body.secret).not.toBe(made.body.secret);

    const everything = await dump();
    expect(everything).toContain(made.body.id);
    for (const secret of [made.body.secret, rotated.body.secret] as string[]) {
      const text = Buffer.from(secret);
      const bytes = Buffer.from(secret.slice(6), 'base64');
      for (const form of [
        secret,
        secret.slice(6),
        text.toString('hex'),
        text.toString('base64'),
        bytes.toString('hex'),
      ])
        expect(everything.includes(form)).toBe(false);
    }
  });

  async function dump(): Promise<string> {
    const { db } = feira.context;
    const tables = await db
      .store('test')
      .query<{ name: string }>(
        sql`select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'`,
      );
    const rows = await Promise.all(
      tables.map(({ name }) => db.store('test').query(raw(`select t::text as row from ${name} t`))),
    );
    return JSON.stringify(rows);
  }
});
