import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { type Feira, openFeira } from '../support/feira.js';
import { authorizationQuery, CALLBACK, Integrator } from '../support/integrator.js';
import { answerOf, formOf, Merchant, openStore, PASSWORD, type Page } from '../support/merchant.js';

let feira: Feira;
let dev: Merchant;
let ana: Merchant;

beforeAll(async () => {
  feira = await openFeira();
  dev = await integrator('dev@erp.example');
  await openStore(feira);
  ana = new Merchant(feira.app);
  await ana.signIn();
});
afterAll(() => feira.close());

async function integrator(email: string, address?: string): Promise<Merchant> {
  const browser = new Merchant(feira.app, {}, address);
  const typed = { email, password: PASSWORD };
  const page = await browser.press(await browser.get('/partners'), 'Create account', typed);
  expect([page.status, page.location]).toEqual([303, '/partners']);
  return browser;
}

async function register(by: Merchant, typed: Record<string, string> = {}): Promise<Page> {
  const form = { name: 'My ERP', 'redirect-uris': CALLBACK, contact: 'dev@erp.example' };
  return followed(by, by.press(await by.get('/partners/apps/new'), 'Register', { ...form, ...typed }));
}

async function followed(by: Merchant, pressed: Promise<Page>): Promise<Page> {
  const page = await pressed;
  return page.status === 303 ? by.get(page.location!) : page;
}

const clientIdOn = (page: Page) => /app_[0-9a-f]{24}/.exec(page.text)![0];
const secretOn = (page: Page) => /feira_cs_[\w-]{43}/.exec(page.text)?.[0];

/**
 * Returns whether the token endpoint accepts the secret. It checks the client before the refresh token, which is
 * unknown.
 */
async function isLive(clientId: string, clientSecret: string): Promise<boolean> {
  const { body } = await new Integrator(feira.app, { clientId, clientSecret }).refresh('unknown');
  return body.error === 'invalid_grant';
}

describe('an integrator', () => {
  test('signs up with a new session, and can sign in again later', async () => {
    const browser = new Merchant(feira.app);
    await browser.get('/partners');
    const before = browser.cookies.get('feira');
    const page = await browser.get('/partners');
    await browser.press(page, 'Create account', { email: 'new@erp.example', password: PASSWORD });
    expect(browser.cookies.get('feira')).not.toBe(before);
    expect((await browser.get('/partners')).text).toContain('You have no app yet');
    expect((await new Merchant(feira.app).signIn('NEW@erp.example')).status).toBe(303);
  });

  test.each([
    ['an invalid e-mail', { email: 'unknown' }, 'Enter a valid e-mail address'],
    ['an e-mail with a NUL', { email: 'a\0@b' }, 'Enter a valid e-mail address'],
    ['a short password', { password: 'short' }, 'The password must have 8 to 200 characters'],
    ['a very long password', { password: 'x'.repeat(201) }, 'The password must have 8 to 200 characters'],
    ['a common password', { password: 'Password123' }, 'too easy to guess'],
    ['one character repeated', { password: 'aaaaaaaaaa' }, 'too easy to guess'],
    ['the e-mail as password', { password: 'Fresh@erp.example' }, 'too easy to guess'],
    [
      'an e-mail that another account has',
      { email: 'DEV@erp.example' },
      'An account with this e-mail already exists',
    ],
  ])('is not signed up with %s', async (_name, typed, sentence) => {
    const browser = new Merchant(feira.app);
    const fields = { email: 'fresh@erp.example', password: PASSWORD, ...typed };
    const page = await browser.press(await browser.get('/partners'), 'Create account', fields);
    expect(page.status).toBe(422);
    expect(page.text).toContain(sentence);
    expect(page.html).not.toContain(fields.password);
    expect((await browser.get('/partners/apps/new')).status).toBe(303);
  });

  test('is limited to fifty sign-ups per hour and address, even if they are concurrent', async () => {
    const address = '198.51.100.7';
    const now = new Date(feira.clock.now()).toISOString();
    // Inserts 48 earlier sign-ups directly, because each real one would hash a password for a tenth of a second.
    await feira.context.db.store('test').autocommit.query(sql`
      insert into sign_ups (address, asked_at) select ${address}, ${now} from generate_series(1, 48)`);
    const browser = new Merchant(feira.app, {}, address);
    const { action, fields } = formOf(await browser.get('/partners'), 'Create account');
    const pages = await Promise.all(
      Array.from({ length: 4 }, (_, index) =>
        browser.post(action, { ...fields, email: `${index}@many.example`, password: PASSWORD }),
      ),
    );
    expect(pages.filter(({ status }) => status === 303)).toHaveLength(2);
    const refused = pages.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(2);
    expect(refused[0]!.text).toContain('Too many sign-ups from your network. Try again in an hour.');

    await integrator('elsewhere@erp.example');
    feira.clock.forward(61 * 60_000);
    await integrator('later@erp.example', address);
  });

  test('registers an app and sees its secret only once', async () => {
    const made = await register(dev);
    expect(made.status).toBe(200);
    const [clientId, secret] = [clientIdOn(made), secretOn(made)!];
    expect(made.text).toContain('It is shown only once');
    expect(await isLive(clientId, secret)).toBe(true);
    const again = await dev.get(`/partners/apps/${clientId}`);
    expect(again.status).toBe(200);
    expect(secretOn(again)).toBeUndefined();
    expect((await dev.get('/partners')).text).toContain(clientId);
  });

  test('sees all errors of a form together, and the values that were entered', async () => {
    const page = await register(dev, {
      name: ' ',
      contact: 'unknown',
      'redirect-uris': 'http://erp.example/cb\r\nftp://erp.example\r\nhttps://erp.example/#x\r\nnonsense',
    });
    expect(page.status).toBe(422);
    for (const sentence of [
      'The name must have 1 to 100 characters',
      'http://erp.example/cb must be https',
      'ftp://erp.example must be https',
      'https://erp.example/#x must not have a fragment',
      'nonsense must be an absolute URL',
      'The contact must be an e-mail address',
    ])
      expect(page.text).toContain(sentence);
    expect(formOf(page, 'Register').fields['redirect-uris']).toContain('ftp://erp.example');
    expect(secretOn(page)).toBeUndefined();
  });

  test.each([
    ['no address', ''],
    ['userinfo', 'https://erp:secret@erp.example/'],
    ['a NUL', 'https://erp.example/\0'],
    ['letters outside ASCII', 'https://erp.example/olá'],
    ['a backslash', 'https:\\\\erp.example\\cb'],
    ['no slashes', 'https:erp.example'],
    ['a script', 'javascript:alert(1)'],
    ['plain http', 'http://localhost.evil.example/'],
  ])('cannot register invalid redirect addresses: %s', async (_name, uris) => {
    expect((await register(dev, { 'redirect-uris': uris })).status).toBe(422);
  });

  test.each([
    'http://localhost:3000/cb',
    'http://127.0.0.1/',
    'http://[::1]:8/',
    'https://erp.example/?a=%20',
  ])('can register %s', async (uri) => {
    expect((await register(dev, { 'redirect-uris': uri })).status).toBe(200);
  });

  test('must be signed in', async () => {
    const stranger = new Merchant(feira.app);
    expect((await stranger.get('/partners/apps/new')).location).toMatch(/^\/sign-in\?/);
    expect((await stranger.get(`/partners/apps/app_${'0'.repeat(24)}`)).location).toMatch(/^\/sign-in\?/);
  });
});

describe('the secrets of an app', () => {
  test('are two during a rotation; a third revokes the oldest, and the old one can be revoked', async () => {
    let page = await register(dev);
    const clientId = clientIdOn(page);
    const secrets = [secretOn(page)!];
    const live = () => Promise.all(secrets.map((secret) => isLive(clientId, secret)));
    expect(Object.keys(page.forms[1]!.buttons)).toEqual(['Create a new secret']);

    page = await followed(dev, dev.press(page, 'Create a new secret'));
    secrets.push(secretOn(page)!);
    expect(await live()).toEqual([true, true]);
    expect(secretOn(await dev.get(`/partners/apps/${clientId}`))).toBeUndefined();

    page = await followed(dev, dev.press(page, 'Create a new secret'));
    secrets.push(secretOn(page)!);
    expect(await live()).toEqual([false, true, true]);

    const ended = await dev.press(page, 'Revoke the old secret');
    expect(ended.location).toBe(`/partners/apps/${clientId}`);
    expect(await live()).toEqual([false, false, true]);
    const after = await dev.get(ended.location!);
    expect(() => formOf(after, 'Revoke the old secret')).toThrow();
    await dev.post(`/partners/apps/${clientId}/end-old-secret`, formOf(after, 'Save').fields);
    expect(await live()).toEqual([false, false, true]);
  });

  test('created in two browsers at the same time are both valid', async () => {
    const page = await register(dev);
    const beside = new Merchant(feira.app);
    await beside.signIn('dev@erp.example');
    const there = await beside.get(`/partners/apps/${clientIdOn(page)}`);
    const pages = await Promise.all([
      followed(dev, dev.press(page, 'Create a new secret')),
      followed(beside, beside.press(there, 'Create a new secret')),
    ]);
    for (const each of pages) expect(await isLive(clientIdOn(page), secretOn(each)!)).toBe(true);
    expect(await isLive(clientIdOn(page), secretOn(page)!)).toBe(false);
  });

  test('can be changed: tokens issued with a revoked secret stay valid', async () => {
    const page = await register(dev);
    const before = new Integrator(feira.app, { clientId: clientIdOn(page), clientSecret: secretOn(page)! });
    const tokens = await before.connected(ana);
    const rotated = await followed(dev, dev.press(page, 'Create a new secret'));
    await dev.press(rotated, 'Revoke the old secret');
    const after = new Integrator(feira.app, { clientId: clientIdOn(page), clientSecret: secretOn(rotated)! });
    expect((await before.refresh(tokens.refresh_token)).status).toBe(401);
    expect((await after.me(tokens.access_token)).status).toBe(200);
    expect((await after.refresh(tokens.refresh_token)).status).toBe(200);
  });
});

describe('reloading a page', () => {
  test('after Register or "Create a new secret" repeats nothing, and no longer shows the secret', async () => {
    const form = { name: 'Reloaded', 'redirect-uris': CALLBACK, contact: 'dev@erp.example' };
    const registered = await dev.press(await dev.get('/partners/apps/new'), 'Register', form);
    expect(registered.status).toBe(303);
    expect(secretOn(registered)).toBeUndefined();
    const shown = await dev.get(registered.location!);
    const secret = secretOn(shown)!;
    expect(await isLive(clientIdOn(shown), secret)).toBe(true);

    const rotated = await dev.press(shown, 'Create a new secret');
    expect(rotated.status).toBe(303);
    expect(secretOn(await dev.get(rotated.location!))).toMatch(/^feira_cs_/);
    for (let reloads = 0; reloads < 2; reloads++) {
      const reloaded = await dev.get(rotated.location!);
      expect([reloaded.status, secretOn(reloaded)]).toEqual([200, undefined]);
    }
    expect(await isLive(clientIdOn(shown), secret)).toBe(true);
    expect((await dev.get('/partners')).text.match(/Reloaded/g)).toHaveLength(1);
  });

  test('confirms once that changes were saved or a secret was revoked', async () => {
    const page = await register(dev);
    for (const [button, sentence] of [
      ['Save', 'Your changes are saved.'],
      ['Create a new secret', 'The new secret was created.'],
      ['Revoke the old secret', 'The old secret was revoked.'],
    ] as const) {
      const current = await dev.get(`/partners/apps/${clientIdOn(page)}`);
      const after = await followed(dev, dev.press(current, button));
      expect(after.text).toContain(sentence);
      expect((await dev.get(`/partners/apps/${clientIdOn(page)}`)).text).not.toContain(sentence);
    }
  });

  test('shows no secret on the page of another app, after two minutes, or for a forged cookie', async () => {
    const page = await register(dev);
    const address = `/partners/apps/${clientIdOn(page)}`;
    const other = await register(dev);
    await dev.press(page, 'Create a new secret');
    expect(secretOn(await dev.get(`/partners/apps/${clientIdOn(other)}`))).toBeUndefined();
    await dev.press(page, 'Create a new secret');
    feira.clock.forward(2 * 60_000);
    expect(secretOn(await dev.get(address))).toBeUndefined();
    await dev.press(page, 'Create a new secret');
    dev.cookies.set('feira-flash', 'A'.repeat(200));
    const forged = await dev.get(address);
    expect([forged.status, secretOn(forged)]).toEqual([200, undefined]);
  });
});

describe('the settings of an app', () => {
  test('can be changed: an address that was removed is rejected from then on', async () => {
    const page = await register(dev);
    const asked = authorizationQuery({ clientId: clientIdOn(page) });
    const moved = { ...asked, redirect_uri: 'https://erp.example/new' };
    expect((await ana.consent(asked)).status).toBe(200);
    expect((await ana.consent(moved)).status).toBe(400);
    const saved = await dev.press(page, 'Save', {
      name: 'Renamed ERP',
      'redirect-uris': 'https://erp.example/new',
    });
    expect(saved.status).toBe(303);
    expect((await ana.consent(asked)).status).toBe(400);
    const consent = await ana.consent(moved);
    expect(consent.text).toContain('Renamed ERP');
    expect(answerOf(await ana.press(consent, 'Approve'))).toHaveProperty('code');
  });

  test('are validated like those of a new app, and stay unchanged if they are rejected', async () => {
    const page = await register(dev);
    const refused = await dev.press(page, 'Save', { name: '', 'redirect-uris': 'http://erp.example' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('The name must have');
    const { fields } = formOf(await dev.get(`/partners/apps/${clientIdOn(page)}`), 'Save');
    expect(fields).toMatchObject({ name: 'My ERP', 'redirect-uris': CALLBACK });
  });

  test('of another integrator are not found and cannot be changed', async () => {
    const stranger = await integrator('stranger@erp.example');
    const page = await register(dev);
    const address = `/partners/apps/${clientIdOn(page)}`;
    expect((await stranger.get(address)).status).toBe(404);
    expect((await stranger.get('/partners')).text).not.toContain(clientIdOn(page));
    const own = formOf(await register(stranger), 'Save').fields;
    for (const path of ['', '/rotate', '/end-old-secret'])
      expect((await stranger.post(`${address}${path}`, own)).status).toBe(403);
    expect(await isLive(clientIdOn(page), secretOn(page)!)).toBe(true);
  });

  test.each(['app_x', '%00', `app_${'0'.repeat(24)}`, '..%2f..'])(
    'are not found for an app that does not exist: %s',
    async (id) => {
      const page = await dev.get(`/partners/apps/${id}`);
      expect([page.status, page.text.includes('App not found.')]).toEqual([404, true]);
    },
  );
});
