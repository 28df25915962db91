import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPE_TEXTS } from '../../src/oauth/scope-texts.js';
import { sql } from '../../src/platform/db/sql.js';
import { ALL_SCOPES, type Feira, openFeira } from '../support/feira.js';
import { authorizationQuery, CALLBACK, type RegisteredApp, registerApp } from '../support/integrator.js';
import { answerOf, formOf, Merchant, openStore, PASSWORD } from '../support/merchant.js';

const BIA = 'bia@loja.example';

let feira: Feira;
let erp: RegisteredApp;
let query: Record<string, string>;
let ana: Merchant;
let bia: Merchant;
let stores: { matriz: string; filial: string; ana: string };

beforeAll(async () => {
  feira = await openFeira();
  stores = {
    ana: await openStore(feira),
    matriz: await openStore(feira, { name: 'Bia Matriz', email: BIA }),
    filial: await openStore(feira, { name: 'Bia Filial', email: BIA }),
  };
  erp = await registerApp(feira);
  query = authorizationQuery(erp);
  ana = new Merchant(feira.app);
  await ana.signIn();
  bia = new Merchant(feira.app);
  await bia.signIn(BIA);
});
afterAll(() => feira.close());

async function storesWithGrants(): Promise<string[]> {
  const rows = await feira.context.db
    .store('test')
    .query<{ workspace_id: string }>(sql`select workspace_id from oauth_grants order by created_at, id`);
  return rows.map((row) => row.workspace_id);
}

test('a merchant who is not signed in returns to the same request after signing in', async () => {
  const merchant = new Merchant(feira.app);
  const sent = await merchant.consent(query);
  expect(sent.status).toBe(303);
  expect(sent.location).toMatch(/^\/sign-in\?/);
  const back = await merchant.press(await merchant.get(sent.location!), 'Sign in', {
    email: 'ana@loja.example',
    password: PASSWORD,
  });
  expect(back.status).toBe(303);
  const address = new URL(back.location!, 'http://feira.test');
  expect(address.pathname).toBe('/oauth/authorize');
  expect(Object.fromEntries(address.searchParams)).toEqual(query);
  expect(answerOf(await merchant.press(await merchant.get(back.location!), 'Approve'))).toMatchObject({
    code: expect.any(String),
    state: query.state,
  });
});

test('a merchant whose session ended while the consent page was open gets a sign-in page that leads back to the same request', async () => {
  const merchant = new Merchant(feira.app);
  await merchant.signIn();
  const page = await merchant.consent(query);
  merchant.cookies.clear();
  const sent = await merchant.press(page, 'Approve');
  const next = new URL(sent.location!, 'http://feira.test').searchParams.get('next')!;
  const address = new URL(next, 'http://feira.test');
  expect(address.pathname).toBe('/oauth/authorize');
  expect(Object.fromEntries(address.searchParams)).toEqual(query);
});

describe('the consent page', () => {
  test('names the app, the store, each scope in plain words, and the host that the merchant returns to', async () => {
    const page = await ana.consent({ ...query, scope: ALL_SCOPES.join(' ') });
    expect(page.status).toBe(200);
    expect(page.text).toContain('Rápido ERP wants to connect to your store');
    expect(page.text).toContain('Store Loja da Ana');
    expect(page.text).toContain('erp.example');
    for (const scope of ALL_SCOPES) expect(page.text).toContain(SCOPE_TEXTS.en[scope]);
    expect(Object.keys(formOf(page, 'Approve').buttons)).toEqual(['Approve', 'Deny']);
  });

  test('shows each requested scope once, and no other scope', async () => {
    const { text } = await ana.consent({ ...query, scope: 'orders:read orders:read' });
    expect(text.split(SCOPE_TEXTS.en['orders:read'])).toHaveLength(2);
    expect(text).not.toContain(SCOPE_TEXTS.en['orders:write']);
  });

  test('lets the owner of several stores choose one under the label "Store"', async () => {
    const page = await bia.consent(query);
    expect(page.html).toContain('<label for="store">Store</label>');
    expect(formOf(page, 'Approve').options).toEqual([
      { value: stores.filial, label: 'Bia Filial' },
      { value: stores.matriz, label: 'Bia Matriz' },
    ]);
    const before = (await storesWithGrants()).length;
    await bia.press(page, 'Approve', { store: stores.matriz });
    expect((await storesWithGrants()).slice(before)).toEqual([stores.matriz]);
  });

  test('is in Portuguese for a browser that prefers it', async () => {
    const portuguese = new Merchant(feira.app, { 'accept-language': 'pt-BR,pt;q=0.9,en;q=0.8' });
    const signIn = await portuguese.get('/sign-in');
    expect(signIn.html).toContain('lang="pt-BR"');
    await portuguese.press(signIn, 'Entrar', { email: BIA, password: PASSWORD });
    const page = await portuguese.consent(query);
    expect(page.text).toContain('quer se conectar à sua loja');
    expect(page.html).toContain('<label for="store">Loja</label>');
    expect(page.text).toContain(SCOPE_TEXTS.pt['orders:read']);
    expect(answerOf(await portuguese.press(page, 'Aprovar'))).toHaveProperty('code');
    expect(answerOf(await portuguese.press(page, 'Negar'))).toHaveProperty('error', 'access_denied');
    expect((await portuguese.consent({ ...query, client_id: 'x' })).text).toContain('Nada foi aprovado');
  });

  test('is in English, like the sign-in page, if Portuguese is only the second preference', async () => {
    const english = new Merchant(feira.app, { 'accept-language': 'en-US,pt;q=0.5' });
    expect((await english.get('/sign-in')).html).toContain('lang="en"');
    await english.signIn(BIA);
    const page = await english.consent(query);
    expect(page.html).toContain('lang="en"');
    expect(page.text).toContain('wants to connect to your store');
    expect(page.text).toContain(SCOPE_TEXTS.en['orders:read']);
  });

  test('escapes names, e-mails and parameters', async () => {
    const tag = `<img src=x onerror="alert('1')">&amp;`;
    const email = `"'<b>&@loja.example`;
    await openStore(feira, { name: `one ${tag}`, email });
    await openStore(feira, { name: `two ${tag}`, email });
    const odd = await registerApp(feira, { name: tag });
    const merchant = new Merchant(feira.app);
    await merchant.signIn(email);
    const page = await merchant.consent({ ...authorizationQuery(odd), state: tag });
    expect(page.html).not.toContain('<img src=x');
    expect(page.html).not.toContain('<b>');
    expect(page.text).toContain(email);
    expect(page.text).toContain(tag);
    expect(formOf(page, 'Approve').options.map(({ label }) => label)).toEqual([`one ${tag}`, `two ${tag}`]);
    expect(answerOf(await merchant.press(page, 'Approve')).state).toBe(tag);
  });

  test('shows no Approve button to an account without a store, and rejects a forged approval', async () => {
    const partner = new Merchant(feira.app);
    await partner.press(await partner.get('/partners'), 'Create account', {
      email: 'dev@erp.example',
      password: PASSWORD,
    });
    const page = await partner.consent(query);
    expect(page.text).toContain('This account has no store');
    expect(Object.keys(formOf(page, 'Deny').buttons)).toEqual(['Deny']);
    const forced = await partner.press(page, 'Deny', { store: stores.ana });
    expect(answerOf(forced)).toHaveProperty('error', 'access_denied');
    const { action, fields } = formOf(page, 'Deny');
    const approved = await partner.post(action, { ...fields, decision: 'approve', store: stores.ana });
    expect(approved.status).toBe(403);
  });
});

test('Approve sends the merchant back with code, state and iss, and nothing else', async () => {
  const page = await ana.approve(query);
  expect(page.status).toBe(303);
  expect(page.location?.startsWith(`${CALLBACK}?`)).toBe(true);
  expect(answerOf(page)).toEqual({
    code: expect.stringMatching(/^feira_ac_[\w-]{43}$/),
    state: query.state,
    iss: 'http://feira.test',
  });
});

test('Deny sends the merchant back with access_denied, state and iss, and grants nothing', async () => {
  const before = (await storesWithGrants()).length;
  expect(answerOf(await ana.deny(query))).toEqual({
    error: 'access_denied',
    error_description: expect.any(String),
    state: query.state,
    iss: 'http://feira.test',
  });
  expect(await storesWithGrants()).toHaveLength(before);
});
