import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { type Feira, openFeira } from '../support/feira.js';
import { authorizationQuery, CALLBACK, Integrator, registerApp } from '../support/integrator.js';
import { ANA, type Form, formOf, Merchant, openStore, PASSWORD, type Page } from '../support/merchant.js';

const BIA = 'bia@loja.example';
const SECOND_CALLBACK = 'https://erp.example/second';

let feira: Feira;
let erp: Integrator;
let ana: Merchant;
let bia: Merchant;
let stores: { ana: string; bia: string };

beforeAll(async () => {
  feira = await openFeira();
  stores = { ana: await openStore(feira), bia: await openStore(feira, { name: 'Bia', email: BIA }) };
  erp = await Integrator.register(feira, { redirectUris: [CALLBACK, SECOND_CALLBACK] });
  ana = new Merchant(feira.app);
  await ana.signIn();
  bia = new Merchant(feira.app);
  await bia.signIn(BIA);
});
afterAll(() => feira.close());

interface FormOnPage {
  of: Merchant;
  form: Form;
  fields: Record<string, string>;
}

async function formAt(of: Merchant, url: string, label: string): Promise<FormOnPage> {
  const form = formOf(await of.get(url), label);
  return { of, form, fields: { ...form.fields, ...form.buttons[label] } };
}

const consentAddress = () => `/oauth/authorize?${new URLSearchParams(authorizationQuery(erp.credentials))}`;

/** The forms for accounts, consent, connected apps and app registration, each with the fields on its page. */
const FORMS: Record<string, () => Promise<FormOnPage>> = {
  'sign-in': () => formAt(new Merchant(feira.app), '/sign-in', 'Sign in'),
  'sign-out': () => formAt(ana, '/console/apps', 'Sign out'),
  'sign-up': () => formAt(new Merchant(feira.app), '/partners', 'Create account'),
  approve: () => formAt(ana, consentAddress(), 'Approve'),
  deny: () => formAt(ana, consentAddress(), 'Deny'),
  disconnect: async () => {
    await erp.connected(ana);
    return formAt(ana, '/console/apps', 'Disconnect');
  },
  password: () => formAt(ana, '/console/password', 'Change password'),
  'new app': () => formAt(ana, '/partners/apps/new', 'Register'),
  ...Object.fromEntries(
    ['Save', 'Create a new secret', 'Revoke the old secret'].map((label) => [
      label,
      async () => {
        const page = await ana.press(await ana.get('/partners/apps/new'), 'Register', {
          name: 'App',
          'redirect-uris': CALLBACK,
          contact: ANA,
        });
        await ana.press(await ana.get(page.location!), 'Create a new secret');
        const form = formOf(await ana.get(page.location!), label);
        return { of: ana, form, fields: form.fields };
      },
    ]),
  ),
};

const isRefused = (page: Page) => {
  expect([page.status, page.location]).toEqual([403, undefined]);
  expect(page.text).toContain('This form has expired or came from another site');
};

describe.each(Object.keys(FORMS))('the form "%s"', (name) => {
  let sent: FormOnPage;
  beforeEach(async () => {
    sent = await FORMS[name]!();
  });

  test('is rejected without its CSRF token, with an invalid one, and with that of another form', async () => {
    const { of, form, fields } = sent;
    const { csrf, ...bare } = fields;
    expect(csrf).toMatch(/^[\w-]{43}$/);
    isRefused(await of.post(form.action, bare));
    isRefused(await of.post(form.action, { ...bare, csrf: '' }));
    isRefused(await of.post(form.action, { ...bare, csrf: 'a'.repeat(43) }));
    isRefused(await of.post(form.action, { ...bare, csrf: `${csrf}a` }));
    const otherPurpose =
      name === 'password'
        ? (await FORMS['new app']!()).fields.csrf
        : formOf(await ana.get('/console/password'), 'Change password').fields.csrf;
    isRefused(await of.post(form.action, { ...bare, csrf: otherPurpose! }));
  });

  test('is rejected in another browser, and without any cookie', async () => {
    const { form, fields } = sent;
    const refusals = [new Merchant(feira.app), bia];
    for (const other of refusals) {
      const page = await other.post(form.action, fields);
      // Without a session, the consent form redirects to the sign-in page.
      if (page.status === 303) expect(page.location).toMatch(/^\/sign-in\?/);
      else expect([400, 403]).toContain(page.status);
    }
  });
});

describe('a consent form', () => {
  const grants = async () =>
    (await feira.context.db.store('test').query(sql`select from oauth_grants`)).length;
  let consent: FormOnPage;
  let before: number;
  beforeEach(async () => {
    consent = await FORMS.approve!();
    before = await grants();
  });

  test.each([
    ['more scopes', { scope: 'products:read orders:read customers:read' }],
    ['fewer scopes', { scope: 'products:read' }],
    ['the same scopes in another order', { scope: 'orders:read products:read' }],
    ['another registered redirect_uri', { redirect_uri: SECOND_CALLBACK }],
    ['another state', { state: 'of the attacker' }],
    ['no state', { state: '' }],
    ['another code_challenge', { code_challenge: 'a'.repeat(43) }],
  ])('sent with %s is rejected and grants nothing', async (_name, change) => {
    isRefused(await ana.post('/oauth/authorize', { ...consent.fields, ...change }));
    expect(await grants()).toBe(before);
  });

  test('sent with the client_id of another app is rejected and grants nothing', async () => {
    const other = await registerApp(feira, { redirectUris: [CALLBACK] });
    isRefused(await ana.post('/oauth/authorize', { ...consent.fields, client_id: other.clientId }));
    expect(await grants()).toBe(before);
  });

  test('sent with a redirect_uri that is not registered shows an error page and grants nothing', async () => {
    const page = await ana.post('/oauth/authorize', {
      ...consent.fields,
      redirect_uri: 'https://evil.example',
    });
    expect([page.status, page.location]).toEqual([400, undefined]);
    expect(await grants()).toBe(before);
  });

  test.each([
    ["another merchant's", () => stores.bia],
    ['no', () => ''],
    ['an unknown', () => '01900000-0000-7000-8000-000000000000'],
    ['an invalid', () => "x' or true\0"],
  ])('approved for %s store is rejected and grants nothing', async (_name, store) => {
    const page = await ana.post('/oauth/authorize', { ...consent.fields, store: store() });
    expect([page.status, page.location]).toEqual([403, undefined]);
    expect(await grants()).toBe(before);
  });

  test('of one merchant is rejected for the next merchant who signs in with the same browser', async () => {
    const shared = new Merchant(feira.app);
    await shared.signIn();
    const page = await shared.get(consentAddress());
    await shared.press(await shared.get('/console/apps'), 'Sign out');
    await shared.signIn(BIA);
    isRefused(await shared.press(page, 'Approve', { store: stores.bia }));
    expect(await grants()).toBe(before);
  });

  test('that is sent as JSON, or without a decision, approves nothing', async () => {
    const json = await feira.app.inject({
      method: 'POST',
      url: '/oauth/authorize',
      headers: {
        'content-type': 'application/json',
        cookie: [...ana.cookies].map((pair) => pair.join('=')).join('; '),
      },
      payload: JSON.stringify(consent.fields),
    });
    expect(json.statusCode).toBe(400);
    const { decision: _, ...undecided } = consent.fields;
    const page = await ana.post('/oauth/authorize', undecided);
    expect(new URL(page.location!).searchParams.get('error')).toBe('access_denied');
    expect(await grants()).toBe(before);
  });
});

test('a sign-in form sent by another site cannot sign a merchant in to the account of an attacker', async () => {
  const attacker = await FORMS['sign-in']!();
  const victim = new Merchant(feira.app);
  isRefused(await victim.post('/sign-in', { ...attacker.fields, email: BIA, password: PASSWORD }));
  await victim.get('/sign-in');
  isRefused(await victim.post('/sign-in', { ...attacker.fields, email: BIA, password: PASSWORD }));
  expect((await victim.get('/console/apps')).status).toBe(303);
});
