import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { type Feira, openFeira } from '../support/feira.js';
import { formOf, Merchant, PASSWORD } from '../support/merchant.js';
import { signUpIntegrator } from '../support/partners.js';

let feira: Feira;

beforeAll(async () => {
  feira = await openFeira();
  await signUpIntegrator(feira, 'dev@erp.example');
});
afterAll(() => feira.close());

describe('an integrator', () => {
  test('gets a new session at sign-up, and can sign in again later', async () => {
    const browser = new Merchant(feira.app);
    await browser.get('/partners');
    const before = browser.cookies.get('feira');
    const page = await browser.get('/partners');
    await browser.press(page, 'Create account', { email: 'new@erp.example', password: PASSWORD });
    expect(browser.cookies.get('feira')).not.toBe(before);
    expect((await browser.get('/partners')).text).toContain('You have no apps yet');
    expect((await new Merchant(feira.app).signIn('NEW@erp.example')).status).toBe(303);
  });

  test.each([
    ['an invalid e-mail', { email: 'unknown' }, 'Enter a valid e-mail address'],
    ['an e-mail with a NUL', { email: 'a\0@b' }, 'Enter a valid e-mail address'],
    ['a short password', { password: 'short' }, 'The password must have 8 to 200 characters'],
    ['a very long password', { password: 'x'.repeat(201) }, 'The password must have 8 to 200 characters'],
    ['a common password', { password: 'Password123' }, 'too easy to guess'],
    ['a password of one repeated character', { password: 'aaaaaaaaaa' }, 'too easy to guess'],
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

  test('cannot sign up after fifty sign-ups from the same network within an hour, even if some are concurrent', async () => {
    const address = '198.51.100.7';
    const now = new Date(feira.clock.now()).toISOString();
    // Inserts 48 earlier sign-ups directly, because hashing the password of a real one takes about 60 ms.
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

    await signUpIntegrator(feira, 'elsewhere@erp.example');
    feira.clock.forward(61 * 60_000);
    await signUpIntegrator(feira, 'later@erp.example', address);
  });

  test('must be signed in to open the page of an app or the form for a new app', async () => {
    const stranger = new Merchant(feira.app);
    expect((await stranger.get('/partners/apps/new')).location).toMatch(/^\/sign-in\?/);
    expect((await stranger.get(`/partners/apps/app_${'0'.repeat(24)}`)).location).toMatch(/^\/sign-in\?/);
  });
});
