import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { CREDENTIAL_CHANNEL } from '../../src/oauth/credentials.js';
import { newSecret } from '../../src/oauth/secrets.js';
import { createGrant, issueTokens } from '../../src/oauth/tokens.js';
import { sql } from '../../src/platform/db/sql.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';

const SOON = { timeout: 60_000, interval: 5 };

let feira: Feira;
let store: StoreClient;

// The clock moves only when a test moves it, so that no cache entry expires unexpectedly.
beforeAll(async () => {
  feira = await openFeira();
  feira.clock.stop();
});
beforeEach(async () => {
  store = await feira.store();
});
afterAll(() => feira.close());

async function refusal(headers: Record<string, string>, path = '/me') {
  const response = await feira.app.inject({ url: `/api/v1${path}`, headers });
  const body = response.json();
  expect([response.statusCode, body.code]).toEqual([401, 'invalid_token']);
  expect(body.error).toMatch(/^invalid_token: /);
  expect(body.requestId).toBe(response.headers['x-request-id']);
  expect(response.headers['x-ratelimit-limit']).toBeUndefined();
  return String(response.headers['www-authenticate']);
}

const bearer = (token: string) => refusal({ authorization: `Bearer ${token}` });
const CHALLENGE = /^Bearer realm="feira", error="invalid_token", error_description="[^"]+"$/;

async function revoke({ workspaceId, clientId }: StoreClient): Promise<void> {
  await feira.context.db.store('test').autocommit.query(sql`
    update oauth_grants set revoked_at = now() where workspace_id = ${workspaceId} and client_id = ${clientId}`);
}

/**
 * Repeats a call until its credential is cached. A notification that arrives during the lookup, even about another
 * credential, prevents the result from being cached, so one call may not be enough.
 */
async function untilRemembered(client: StoreClient): Promise<void> {
  await vi.waitFor(async () => {
    expect((await client.get('/me')).status).toBe(200);
    expect(feira.context.credentials.remembered(`Bearer ${client.token}`)).toBeDefined();
  }, SOON);
}

async function notify({ workspaceId, clientId }: StoreClient): Promise<void> {
  await feira.context.db
    .store('test')
    .autocommit.query(sql`select pg_notify(${CREDENTIAL_CHANNEL}, ${`${workspaceId} ${clientId}`})`);
}

describe('a call is rejected with 401', () => {
  test('and a challenge without an error code when it has no token, or has one only in the query', async () => {
    expect(await refusal({})).toBe('Bearer realm="feira"');
    expect(await refusal({}, `/me?access_token=${store.token}`)).toBe('Bearer realm="feira"');
  });

  test('when the Authorization header is malformed', async () => {
    const { token } = store;
    for (const authorization of [
      '',
      'Bearer',
      'Bearer ',
      token,
      `Basic ${token}`,
      `Bearer ${token} ${token}`,
      `Bearer "${token}"`,
    ]) {
      expect(await refusal({ authorization })).toMatch(CHALLENGE);
    }
    const lowercase = await feira.app.inject({
      url: '/api/v1/me',
      headers: { authorization: `bearer ${token}` },
    });
    expect(lowercase.statusCode).toBe(200);
  });

  test('when the token is unknown, however similar it is to a known one', async () => {
    const last = store.token.at(-1) === 'A' ? 'E' : 'A';
    for (const token of [
      'x',
      newSecret('access'),
      store.token.slice(0, -1),
      `${store.token.slice(0, -1)}${last}`,
      `${store.token}A`,
    ]) {
      expect(await bearer(token)).toMatch(CHALLENGE);
    }
  });

  test('when the token is not an access token', async () => {
    const { db, clock } = feira.context;
    const tokens = await db.store('test').transaction(async (tx) => {
      const grant = { workspaceId: store.workspaceId, clientId: store.clientId, userId: null };
      const grantId = await createGrant(tx, { ...grant, scopes: ['products:read'] });
      return issueTokens(tx, clock, store.workspaceId, grantId, ['products:read']);
    });
    expect(await bearer(tokens.refresh_token)).toMatch(CHALLENGE);
    expect(await bearer(newSecret('client'))).toMatch(CHALLENGE);
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    expect((await feira.app.inject({ url: '/api/v1/me', headers })).statusCode).toBe(200);
  });

  test('from 7,200 seconds after the token was issued, even while it is cached', async () => {
    feira.clock.forward(7_199_000);
    const last = await store.get('/me');
    expect(last.status).toBe(200);
    expect(Date.parse(last.body.tokenExpiresAt)).toBe(feira.clock.now() + 1_000);
    feira.clock.forward(999);
    expect((await store.get('/me')).status).toBe(200);
    feira.clock.forward(1);
    expect(await bearer(store.token)).toMatch(CHALLENGE);
  });

  test('when the token is unknown, before anything else is checked', async () => {
    const headers = { authorization: 'Bearer x', 'content-type': 'application/json', 'idempotency-key': 'k' };
    for (const url of ['/api/v1/products', '/api/v1/nowhere', '/api/v1/products?limit=x']) {
      const response = await feira.app.inject({ method: 'POST', url, headers, payload: 'not json' });
      expect([url, response.statusCode]).toEqual([url, 401]);
    }
  });
});

describe('a revoked grant', () => {
  test('is rejected as soon as the process is notified, and no other grant is affected', async () => {
    const other = await feira.store();
    const sibling = await store.withScopes(['products:read']);
    const { db } = feira.context;
    for (const each of [store, sibling, other]) expect((await each.get('/me')).status).toBe(200);
    await db.store('test').autocommit.query(sql`
      update oauth_grants set revoked_at = now()
      where workspace_id = ${store.workspaceId} and scopes = array['products:read']`);
    await notify(store);
    await vi.waitFor(async () => expect((await sibling.get('/me')).status).toBe(401), SOON);
    expect(await bearer(sibling.token)).toMatch(CHALLENGE);
    for (const each of [store, other]) expect((await each.get('/me')).status).toBe(200);
  });

  test('is rejected in every process that is notified', async () => {
    const second = await openFeira({ on: feira });
    const there = store.through(second);
    expect([(await store.get('/me')).status, (await there.get('/me')).status]).toEqual([200, 200]);
    await revoke(store);
    await notify(store);
    for (const each of [store, there]) {
      await vi.waitFor(async () => expect((await each.get('/me')).status).toBe(401), SOON);
    }
    await second.close();
  });

  test('is rejected within 2 seconds without any notification', async () => {
    expect((await store.get('/me')).status).toBe(200);
    await revoke(store);
    feira.clock.forward(2_000);
    expect(await bearer(store.token)).toMatch(CHALLENGE);
  });

  test('that is in use is rejected once its cached credential is reloaded in the background, before the cache entry expires', async () => {
    // 120 is the default rate limit. Any other value would send a notification, which would remove cached credentials.
    const [used, other] = [await feira.store({ perMinute: 120 }), await feira.store({ perMinute: 120 })];
    for (const each of [used, other]) await untilRemembered(each);
    await revoke(used);
    feira.clock.forward(1_600);
    for (const each of [used, other]) expect((await each.get('/me')).status).toBe(200);
    // The clock does not move, so the cached credential does not expire.
    await vi.waitFor(async () => expect((await used.get('/me')).status).toBe(401), {
      timeout: 60_000,
      interval: 100,
    });
    feira.clock.forward(1_400);
    expect((await other.get('/me')).status).toBe(200);
  });

  test('is rejected on the next call in a process that receives no notifications', async () => {
    const probe = await feira.store();
    for (const each of [store, probe]) expect((await each.get('/me')).status).toBe(200);
    const cluster = new pg.Client(inject('cluster'));
    await cluster.connect();
    const { database } = feira.connection;
    // The database refuses new connections, so that the listener stays disconnected during the test.
    await cluster.query(`alter database "${database}" with allow_connections false`);
    try {
      // `query` is the last statement of a connection. That of the listener is a LISTEN: even its heartbeat is one.
      const { rowCount } = await cluster.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = $1 and query ilike 'listen %'`,
        [database],
      );
      expect(rowCount).toBe(1);
      await revoke(probe);
      await vi.waitFor(async () => expect((await probe.get('/me')).status).toBe(401), SOON);
      expect((await store.get('/me')).status).toBe(200);
      expect((await store.get('/me')).status).toBe(200);
      await revoke(store);
      expect(await bearer(store.token)).toMatch(CHALLENGE);
    } finally {
      await cluster.query(`alter database "${database}" with allow_connections true`);
      await cluster.end();
    }
  });
});
