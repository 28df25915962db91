import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { purgeSessions } from '../../src/accounts/sessions.js';
import { sql } from '../../src/platform/db/sql.js';
import { type Feira, openFeira } from '../support/feira.js';
import { authorizationQuery, type RegisteredApp, registerApp } from '../support/integrator.js';
import { ANA, Merchant, openStore, PASSWORD, type Page } from '../support/merchant.js';

const HOUR = 60 * 60 * 1000;
const HOME = '/console/apps';

let feira: Feira;
let erp: RegisteredApp;

beforeAll(async () => {
  feira = await openFeira();
  await openStore(feira);
  erp = await registerApp(feira);
});
afterAll(() => feira.close());

async function signedIn(email = ANA, password = PASSWORD): Promise<Merchant> {
  const merchant = new Merchant(feira.app);
  expect((await merchant.signIn(email, password)).status).toBe(303);
  return merchant;
}

const isIn = async (merchant: Merchant) => (await merchant.get(HOME)).status === 200;

function copyOf(merchant: Merchant): Merchant {
  const copy = new Merchant(feira.app);
  for (const [name, value] of merchant.cookies) copy.cookies.set(name, value);
  return copy;
}

describe('the session cookie', () => {
  test('is HttpOnly and SameSite=Lax, with Path=/ and without an expiry', async () => {
    const merchant = new Merchant(feira.app);
    for (const page of [await merchant.get('/sign-in'), await merchant.signIn()]) {
      const cookie = String([page.headers['set-cookie']].flat()[0]);
      expect(cookie).toMatch(/^feira=[\w-]{43}; /);
      const attributes = cookie.split('; ').slice(1).sort();
      expect(attributes).toEqual(['HttpOnly', 'Path=/', 'SameSite=Lax']);
    }
  });

  test('is Secure and has the __Host- prefix if the public address is https', async () => {
    const secure = await openFeira({ publicUrl: 'https://feira.example' });
    try {
      await openStore(secure);
      const merchant = new Merchant(secure.app);
      for (const page of [await merchant.get('/sign-in'), await merchant.signIn()]) {
        const cookie = String([page.headers['set-cookie']].flat()[0]);
        expect(cookie).toMatch(/^__Host-feira=[\w-]{43}; /);
        expect(cookie.split('; ').slice(1).sort()).toEqual(['HttpOnly', 'Path=/', 'SameSite=Lax', 'Secure']);
      }
      expect((await merchant.get(HOME)).status).toBe(200);
      const unprefixed = new Merchant(secure.app);
      unprefixed.cookies.set('feira', merchant.cookies.get('__Host-feira')!);
      expect((await unprefixed.get(HOME)).status).toBe(303);
    } finally {
      await secure.close();
    }
  });

  test.each(['', 'x', 'a'.repeat(44), `${'a'.repeat(42)}%00`, '../../etc/passwd', `"${'a'.repeat(41)}"`])(
    'with an invalid value is ignored without an error: %j',
    async (id) => {
      const merchant = new Merchant(feira.app);
      merchant.cookies.set('feira', id);
      expect((await merchant.get(HOME)).status).toBe(303);
      expect((await merchant.signIn()).status).toBe(303);
      expect(merchant.cookies.get('feira')).not.toBe(id);
    },
  );
});

describe('signing in', () => {
  test('issues a new session id, so that one planted by an attacker is useless', async () => {
    const attacker = new Merchant(feira.app);
    await attacker.get('/sign-in');
    const victim = copyOf(attacker);
    await victim.signIn();
    expect(victim.cookies.get('feira')).not.toBe(attacker.cookies.get('feira'));
    expect(await isIn(victim)).toBe(true);
    expect(await isIn(attacker)).toBe(false);
  });

  test('is skipped if the merchant is already signed in: the page redirects to "next"', async () => {
    const merchant = await signedIn();
    const page = await merchant.get(`/sign-in?${new URLSearchParams({ next: '/console/password' })}`);
    expect([page.status, page.location]).toEqual([303, '/console/password']);
  });
});

describe('a session ends', () => {
  test('at sign-out, on the server and not just in the browser', async () => {
    const merchant = await signedIn();
    const copy = copyOf(merchant);
    const page = await merchant.press(await merchant.get(HOME), 'Sign out');
    expect([page.status, page.location]).toEqual([303, '/sign-in']);
    expect(merchant.cookies.has('feira')).toBe(false);
    expect(await isIn(copy)).toBe(false);
  });

  test('twelve hours after sign-in, and its row is purged', async () => {
    const merchant = await signedIn();
    feira.clock.forward(12 * HOUR - 1000);
    expect(await isIn(merchant)).toBe(true);
    feira.clock.forward(1000);
    expect(await isIn(merchant)).toBe(false);
    await purgeSessions(feira.context.db.background('test'), feira.clock);
    expect(await feira.context.db.store('test').query(sql`select from sessions`)).toEqual([]);
  });

  test('when the password is changed in another browser, which stays signed in', async () => {
    const email = 'carla@loja.example';
    await openStore(feira, { name: 'Carla', email });
    const [here, there] = [await signedIn(email), await signedIn(email)];
    const bystander = await signedIn();
    const form = await here.get('/console/password');

    const wrong = await here.press(form, 'Change password', {
      password: 'not the present one',
      'new-password': 'another long password',
    });
    expect([wrong.status, wrong.text.includes('The current password is incorrect')]).toEqual([422, true]);
    const short = await here.press(form, 'Change password', { password: PASSWORD, 'new-password': 'short' });
    expect(short.status).toBe(422);
    expect(await isIn(there)).toBe(true);

    const changed = await here.press(form, 'Change password', {
      password: PASSWORD,
      'new-password': 'another long password',
    });
    expect(changed.status).toBe(200);
    expect([await isIn(here), await isIn(there), await isIn(bystander)]).toEqual([true, false, true]);
    expect((await new Merchant(feira.app).signIn(email, PASSWORD)).status).toBe(401);
    await signedIn(email, 'another long password');
  });
});

test('a stolen session cannot be used to guess the password: the sixth attempt is not checked', async () => {
  const email = 'davi@loja.example';
  await openStore(feira, { name: 'Davi', email });
  const thief = await signedIn(email);
  const form = await thief.get('/console/password');
  const guess = (password: string) =>
    thief.press(form, 'Change password', { password, 'new-password': 'another long password' });
  for (let wrong = 1; wrong <= 5; wrong++) expect((await guess(`guess number ${wrong}`)).status).toBe(422);
  expect((await guess(PASSWORD)).status).toBe(429);
});

describe('the sign-in, consent, console and partner pages', () => {
  function isGuarded(page: Page, what: string): void {
    const policy = String(page.headers['content-security-policy']).split('; ');
    expect([what, policy]).toEqual([what, expect.arrayContaining(["frame-ancestors 'none'"])]);
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "base-uri 'none'"]));
    const forms = policy.find((directive) => directive.startsWith('form-action')) ?? '';
    expect([what, forms]).toEqual([what, expect.stringMatching(/^form-action 'self' http:\/\/feira\.test/)]);
    expect([what, page.headers]).toMatchObject([
      what,
      {
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
      },
    ]);
  }

  test('forbid framing, caching, sniffing and referrers, even for errors and redirects', async () => {
    const merchant = await signedIn();
    const stranger = new Merchant(feira.app);
    const asked = authorizationQuery(erp);
    const pages: [string, Promise<Page>][] = [
      ['sign-in', stranger.get('/sign-in')],
      ['sign-in refused', stranger.signIn(ANA, 'wrong password')],
      ['form refused', stranger.post('/sign-in', { email: ANA })],
      ['not a form', stranger.post('/sign-in', '\xff')],
      ['sent to sign-in', stranger.consent(asked)],
      ['partners', stranger.get('/partners')],
      ['consent', merchant.consent(asked)],
      ['consent fault', merchant.consent({ ...asked, client_id: 'x' })],
      ['approved', merchant.approve(asked)],
      ['denied', merchant.deny(asked)],
      ['connected apps', merchant.get(HOME)],
      ['password', merchant.get('/console/password')],
      ['your apps', merchant.get('/partners')],
      ['new app', merchant.get('/partners/apps/new')],
      ['no such app', merchant.get('/partners/apps/app_x')],
      ['too large', merchant.post('/sign-in', `a=${'x'.repeat(1_100_000)}`)],
    ];
    for (const [what, page] of pages) isGuarded(await page, what);
  });

  test('run no script and load nothing from other origins', async () => {
    const merchant = await signedIn();
    const stranger = new Merchant(feira.app);
    const pages = [
      await stranger.get('/sign-in'),
      await stranger.get('/partners'),
      await merchant.consent(authorizationQuery(erp)),
    ];
    for (const path of [HOME, '/console/password', '/partners', '/partners/apps/new'])
      pages.push(await merchant.get(path));
    for (const { status, html } of pages) {
      expect(status).toBe(200);
      expect(html).not.toMatch(/<script|<style|\son\w+=|style="|src="(?!\/)|<link[^>]+href="(?!\/)/);
    }
  });
});
