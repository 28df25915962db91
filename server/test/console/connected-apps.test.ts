import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { SCOPE_TEXTS } from '../../src/oauth/scope-texts.js';
import { sql } from '../../src/platform/db/sql.js';
import { type Feira, openFeira } from '../support/feira.js';
import { Integrator, registerApp } from '../support/integrator.js';
import { formOf, Merchant, openStore } from '../support/merchant.js';
import { until } from '../support/process.js';

const BIA = 'bia@loja.example';
const PAGE = '/console/apps';

let feira: Feira;
let beside: Awaited<ReturnType<typeof openFeira>>;
let ana: Merchant;
let bia: Merchant;
let store: string;
let erp: Integrator;
/** The same app as `erp`, but it calls the second server. */
let erpBeside: Integrator;

beforeAll(async () => {
  feira = await openFeira();
  beside = await openFeira({ on: feira });
  store = await openStore(feira);
  await openStore(feira, { name: 'Loja da Bia', email: BIA });
  ana = new Merchant(feira.app);
  await ana.signIn();
  bia = new Merchant(feira.app);
  await bia.signIn(BIA);
});
afterAll(() => feira.close());
beforeEach(async () => {
  const app = await registerApp(feira, { name: `ERP ${Date.now()}` });
  erp = new Integrator(feira.app, app);
  erpBeside = new Integrator(beside.app, app);
});

async function disconnect(): Promise<void> {
  const page = await ana.get(PAGE);
  const form = page.forms.find(({ fields }) => fields.client_id === erp.credentials.clientId);
  if (!form) throw new Error(`the app is not on the page: ${page.text}`);
  expect((await ana.post(form.action, form.fields)).location).toBe(PAGE);
}

const REFUSED = { status: 400, body: { error: 'invalid_grant' } };

describe('the merchant sees', () => {
  test('no app that was approved but has not exchanged its code for tokens', async () => {
    const carla = new Merchant(feira.app);
    await openStore(feira, { name: 'Loja da Carla', email: 'carla@loja.example' });
    await carla.signIn('carla@loja.example');
    await erp.authorized(carla);
    expect((await carla.get(PAGE)).text).toContain('Loja da Carla No app is connected to this store.');
  });

  test('each connected app with what it may do and when it was last used', async () => {
    const { access_token } = await erp.connected(ana);
    const card = async () => (await ana.get(PAGE)).text;
    expect(await card()).toContain('never used');
    for (const scope of ['products:read', 'orders:read'] as const)
      expect(await card()).toContain(SCOPE_TEXTS.en[scope]);
    expect(await card()).not.toContain(SCOPE_TEXTS.en['orders:write']);
    await erp.me(access_token);
    await until(async () => !(await card()).includes('never used'), 2_000);
    expect(await card()).toMatch(/Last used: \d+ \w+ \d{4}, \d\d:\d\d UTC/);
    await disconnect();
  });

  test('one entry for an app that was authorized twice, with the scopes of both authorizations', async () => {
    await erp.connected(ana);
    await erp.exchange(await erp.authorized(ana, {}, { scope: 'categories:read' }));
    const page = await ana.get(PAGE);
    const entries = page.forms.filter(({ fields }) => fields.client_id === erp.credentials.clientId);
    expect(entries).toHaveLength(1);
    expect(page.text).toContain(SCOPE_TEXTS.en['categories:read']);
    expect(page.text).toContain(SCOPE_TEXTS.en['products:read']);
    await disconnect();
    expect((await ana.get(PAGE)).text).toContain('No app is connected');
  });

  test('only their own stores', async () => {
    await erp.connected(ana);
    const { text } = await bia.get(PAGE);
    expect(text).toContain('Loja da Bia');
    expect(text).not.toContain('Loja da Ana');
    expect((await new Merchant(feira.app).get(PAGE)).status).toBe(303);
    await disconnect();
  });
});

describe('disconnecting an app', () => {
  test('immediately invalidates its access token on the same server, and its refresh token', async () => {
    for (let round = 0; round < 10; round++) {
      const tokens = await erp.connected(ana);
      expect((await erp.me(tokens.access_token)).status).toBe(200);
      await disconnect();
      const answer = await erp.me(tokens.access_token);
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
      expect(await erp.refresh(tokens.refresh_token)).toMatchObject(REFUSED);
    }
  });

  test('invalidates its tokens within two seconds on another server that has just accepted the access token', async () => {
    const tokens = await erp.connected(ana);
    expect((await erpBeside.me(tokens.access_token)).status).toBe(200);
    await disconnect();
    await until(async () => (await erpBeside.me(tokens.access_token)).status === 401, 2_000);
    expect(await erpBeside.refresh(tokens.refresh_token)).toMatchObject(REFUSED);
  });

  test('revokes all its grants, and a code that is not yet exchanged', async () => {
    const [first, second] = [await erp.connected(ana), await erp.connected(ana)];
    const pending = await erp.authorized(ana);
    await disconnect();
    for (const { access_token } of [first, second]) expect((await erp.me(access_token)).status).toBe(401);
    expect(await erp.exchange(pending)).toMatchObject(REFUSED);
    expect((await ana.get(PAGE)).text).not.toContain('Disconnect ');
  });

  test('does not affect other apps, or the same app in other stores', async () => {
    const other = new Integrator(feira.app, await registerApp(feira));
    const tokens = [await other.connected(ana), await erp.connected(bia)] as const;
    await erp.connected(ana);
    await disconnect();
    expect((await other.me(tokens[0].access_token)).status).toBe(200);
    expect((await erp.me(tokens[1].access_token)).status).toBe(200);
  });

  test('does not prevent the merchant from connecting it again', async () => {
    await erp.connected(ana);
    await disconnect();
    const tokens = await erp.connected(ana);
    expect((await erp.me(tokens.access_token)).status).toBe(200);
    expect((await erp.refresh(tokens.refresh_token)).status).toBe(200);
  });

  test('from a store of another merchant is rejected', async () => {
    const tokens = await erp.connected(ana);
    await erp.connected(bia);
    const own = formOf(await bia.get(PAGE), 'Disconnect');
    const page = await bia.post(own.action, { ...own.fields, store });
    expect(page.status).toBe(403);
    expect((await erp.me(tokens.access_token)).status).toBe(200);
  });
});

describe('a server that receives no notifications of revocations', () => {
  test('uses no credential that was read two or more seconds ago', async () => {
    const tokens = await erp.connected(ana);
    expect((await erp.me(tokens.access_token)).status).toBe(200);
    await feira.context.db.store('test').autocommit.query(sql`update oauth_grants set revoked_at = now()`);
    feira.clock.forward(2_000);
    expect((await erp.me(tokens.access_token)).status).toBe(401);
  });

  test('caches no credentials while its connection for notifications is down', async () => {
    const used = await erp.connected(ana);
    expect((await erpBeside.me(used.access_token)).status).toBe(200);
    const listeners = async () =>
      feira.context.db
        .store('test')
        .query<{ pid: number }>(
          sql`select pid from pg_stat_activity where datname = current_database() and application_name = 'feira listener'`,
        );
    const cluster = new pg.Client(inject('cluster'));
    await cluster.connect();
    const admit = (allowed: boolean) =>
      cluster.query(`alter database "${feira.connection.database}" with allow_connections ${allowed}`);
    try {
      // The database accepts no new connections, so a listener that is closed now is not replaced. The pools keep their
      // connections.
      await admit(false);
      for (const { pid } of await listeners()) await cluster.query('select pg_terminate_backend($1)', [pid]);
      await until(async () => (await listeners()).length === 0);
      await disconnect();
      // The timeout is well below two seconds, after which every cached credential is looked up again anyway.
      await until(async () => (await erpBeside.me(used.access_token)).status === 401, 1_000);
      for (let round = 0; round < 5; round++) {
        const { access_token } = await erp.connected(ana);
        expect((await erpBeside.me(access_token)).status).toBe(200);
        await disconnect();
        expect((await erpBeside.me(access_token)).status).toBe(401);
      }
    } finally {
      await admit(true);
      await cluster.end();
    }
    await until(async () => (await listeners()).length === 2);
  });
});
