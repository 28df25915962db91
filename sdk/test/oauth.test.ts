import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../server/src/platform/db/sql.js';
import { ALL_SCOPES } from '../../server/test/support/feira.js';
import { CALLBACK, registerApp } from '../../server/test/support/integrator.js';
import { Merchant, openStore } from '../../server/test/support/merchant.js';
import { temporaryFolder } from '../../server/test/support/process.js';
import type { ReconnectNeeded } from '../src/errors.js';
import { FileTokens } from '../src/node/file-tokens.js';
import { FeiraApp, type FeiraAppOptions, MemoryTokens, type TokenStore } from '../src/oauth.js';
import { type LiveServer, openLiveServer } from './support/live-server.js';
import { clockOf } from './support/shared-clock.js';

let server: LiveServer;
let workspaceId: string;
let merchant: Merchant;
let credentials: { clientId: string; clientSecret: string };
beforeAll(async () => {
  server = await openLiveServer();
  workspaceId = await openStore(server);
  merchant = new Merchant(server.app);
  await merchant.signIn();
  credentials = await registerApp(server);
});
afterAll(() => server.close());

function appWith(options: Partial<FeiraAppOptions> = {}): FeiraApp {
  return new FeiraApp({
    baseUrl: server.url,
    ...credentials,
    redirectUri: CALLBACK,
    scopes: ALL_SCOPES,
    clock: clockOf(server),
    ...options,
  });
}

/** Approves or denies the request as the merchant, and returns the URL of the callback. */
async function answered(url: string, button: 'Approve' | 'Deny' = 'Approve'): Promise<string> {
  const path = new URL(url).pathname + new URL(url).search;
  let page = await merchant.get(path);
  if (page.status === 303) {
    // A test moved the clock, so the session has expired.
    await merchant.signIn();
    page = await merchant.get(path);
  }
  const { location = '', text } = await merchant.press(page, button);
  if (!location.startsWith(CALLBACK)) throw new Error(`not redirected to the app: ${location} ${text}`);
  return location;
}

async function connect(app: FeiraApp) {
  return app.connected(await answered(await app.connect('session 1')), 'session 1');
}

async function refreshes(): Promise<number> {
  const [row] = await server.context.db
    .store('test')
    .query<{ count: number }>(
      sql`select count(*)::int as count from oauth_refresh_tokens where consumed_at is not null`,
    );
  return row!.count;
}

test('connects a store, stores its tokens and returns a client', async () => {
  const tokens = new MemoryTokens();
  const connected = await connect(appWith({ tokens }));
  expect(connected.workspaceId).toBe(workspaceId);
  expect((await connected.store.me()).workspaceId).toBe(workspaceId);
  expect(await appWith({ tokens }).store(workspaceId).me()).toMatchObject({ name: 'Loja da Ana' });
});

test('returns the same client for the same store, so that all its calls share one rate limit', () => {
  const app = appWith();
  expect(app.store('a')).toBe(app.store('a'));
});

test('any process can handle the callback', async () => {
  const callback = await answered(await appWith().connect('session 1'));
  expect(await appWith().connected(callback, 'session 1')).toMatchObject({ workspaceId });
});

test('rejects the callback of another session, and a changed, missing or expired state', async () => {
  const app = appWith();
  const callback = await answered(await app.connect('session 1'));
  await expect(app.connected(callback, 'session 2')).rejects.toMatchObject({ code: 'invalid_state' });
  await expect(app.connected(callback.replace('state=', 'state=x'), 'session 1')).rejects.toMatchObject({
    code: 'invalid_state',
  });
  await expect(app.connected('/callback?code=1', 'session 1')).rejects.toMatchObject({
    code: 'invalid_state',
  });
  server.clock.forward(61 * 60_000);
  await expect(app.connected(callback, 'session 1')).rejects.toThrow('took too long');
});

test('rejects a callback with another issuer or without one', async () => {
  const app = appWith();
  const callback = new URL(await answered(await app.connect('session 1')));
  callback.searchParams.set('iss', 'https://evil.example');
  await expect(app.connected(callback, 'session 1')).rejects.toMatchObject({ code: 'invalid_issuer' });
  callback.searchParams.delete('iss');
  await expect(app.connected(callback, 'session 1')).rejects.toMatchObject({ code: 'invalid_issuer' });
});

test('reports that the merchant denied the request', async () => {
  const app = appWith();
  const callback = await answered(await app.connect('session 1'), 'Deny');
  await expect(app.connected(callback, 'session 1')).rejects.toMatchObject({ code: 'access_denied' });
});

test('requires a session', async () => {
  await expect(appWith().connect('')).rejects.toThrow('needs the session');
});

test.each(['memory', 'file'])(
  '20 parallel calls with an expired token cause one refresh (token store: %s)',
  async (kind) => {
    const folder = temporaryFolder();
    const tokens: TokenStore = kind === 'file' ? new FileTokens(folder.path) : new MemoryTokens();
    const { store } = await connect(appWith({ tokens }));
    const before = await refreshes();
    server.clock.forward(3 * 60 * 60_000);
    await Promise.all(Array.from({ length: 20 }, () => store.me()));
    expect(await refreshes()).toBe(before + 1);
    folder.remove();
  },
);

test('20 parallel calls with a token that was revoked before it expired cause one refresh', async () => {
  const tokens = new MemoryTokens();
  const { store } = await connect(appWith({ tokens }));
  const { accessToken } = (await tokens.get(workspaceId))!;
  await server.app.inject({
    method: 'POST',
    url: '/api/oauth/revoke',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({
      token: accessToken,
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
    }).toString(),
  });
  const before = await refreshes();
  await Promise.all(Array.from({ length: 20 }, () => store.me()));
  expect(await refreshes()).toBe(before + 1);
});

test('a refresh whose response is lost is repeated, and only one refresh token is used up', async () => {
  let lost = 0;
  const losing: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (
      String(input).endsWith('/api/oauth/token') &&
      String(init?.body).includes('refresh_token') &&
      lost++ < 2
    )
      throw new TypeError('fetch failed');
    return response;
  };
  const { store } = await connect(appWith({ fetch: losing }));
  const before = await refreshes();
  server.clock.forward(3 * 60 * 60_000);
  expect((await store.me()).workspaceId).toBe(workspaceId);
  expect(lost).toBe(3);
  expect(await refreshes()).toBe(before + 1);
});

test('a refresh fails if Retry-After is longer than five minutes', async () => {
  let refused = 0;
  const busy: typeof fetch = async (input, init) => {
    if (!String(init?.body).includes('grant_type=refresh_token')) return fetch(input, init);
    refused++;
    return Response.json({ error: 'rate_limited' }, { status: 429, headers: { 'retry-after': '301' } });
  };
  const { store } = await connect(appWith({ fetch: busy }));
  server.clock.forward(3 * 60 * 60_000);
  await expect(store.me()).rejects.toMatchObject({ status: 429, code: 'rate_limited', attempts: 1 });
  expect(refused).toBe(1);
});

test('a process that dies before it has saved the new tokens does not lose the connection', async () => {
  const tokens = new MemoryTokens();
  await connect(appWith({ tokens }));
  const dying: TokenStore = {
    get: (id) => tokens.get(id),
    set: () => Promise.reject(new Error('killed')),
    lock: (id, work) => tokens.lock(id, work),
  };
  server.clock.forward(3 * 60 * 60_000);
  await expect(appWith({ tokens: dying }).store(workspaceId).me()).rejects.toThrow('killed');
  expect((await appWith({ tokens }).store(workspaceId).me()).workspaceId).toBe(workspaceId);
});

test('asks for a new connection when the authorization was revoked, and connects the store again', async () => {
  const app = appWith();
  const { store } = await connect(app);
  await server.context.db
    .store('test')
    .autocommit.query(
      sql`update oauth_grants set revoked_at = now() where client_id = ${credentials.clientId}`,
    );
  server.clock.forward(3 * 60 * 60_000);
  const error = (await Promise.resolve(store.me()).catch((reason) => reason)) as ReconnectNeeded;
  expect(error).toMatchObject({ code: 'reconnect_needed', workspaceId, name: 'ReconnectNeeded' });
  const again = await app.connected(await answered(error.authorizeUrl), 'any session');
  expect((await again.store.me()).workspaceId).toBe(workspaceId);
});

test('a link to connect a store again does not connect another store', async () => {
  const app = appWith();
  const error = (await Promise.resolve(app.store('another-store').me()).catch(
    (reason) => reason,
  )) as ReconnectNeeded;
  expect(error.code).toBe('reconnect_needed');
  const callback = await answered(error.authorizeUrl);
  await expect(app.connected(callback, 'any session')).rejects.toMatchObject({ code: 'other_store' });
});
