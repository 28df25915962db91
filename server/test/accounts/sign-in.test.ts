import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { type Feira, openFeira } from '../support/feira.js';
import { Merchant, openStore, PASSWORD, type Page } from '../support/merchant.js';

const MINUTE = 60 * 1000;
const HOME = '/console/apps';

let feira: Feira;
let accounts = 0;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());

async function newAccount(): Promise<string> {
  const email = `merchant${++accounts}@loja.example`;
  await openStore(feira, { name: `Loja ${accounts}`, email });
  return email;
}

/** A new browser at this IP address. */
function browserAt(address: string): Merchant {
  return new Merchant(feira.app, {}, address);
}

async function guess(email: string, times: number, address: string): Promise<number[]> {
  const browser = browserAt(address);
  const page = await browser.get('/sign-in');
  const statuses = [];
  for (let index = 0; index < times; index++)
    statuses.push((await browser.press(page, 'Sign in', { email, password: `wrong guess ${index}` })).status);
  return statuses;
}

/** Repeats the last failure directly in the database, because real attempts are slow: each hashes a password. */
async function repeatLastFailure(times: number): Promise<void> {
  await feira.context.db.store('test').autocommit.query(sql`
    insert into sign_in_failures (subject, failed_at)
    select subject, failed_at from sign_in_failures, generate_series(1, ${times}::int)
    where id = (select id from sign_in_failures order by id desc limit 1)`);
}

describe('a sign-in', () => {
  test('ignores the case of the e-mail and spaces around it', async () => {
    const email = await newAccount();
    expect((await new Merchant(feira.app).signIn(`  ${email.toUpperCase()} `)).status).toBe(303);
  });

  test('works for an e-mail with letters outside ASCII, in upper or lower case', async () => {
    await openStore(feira, { name: 'Érica', email: 'ÉRICA@loja.example' });
    expect((await new Merchant(feira.app).signIn('ÉRICA@loja.example')).status).toBe(303);
    expect((await new Merchant(feira.app).signIn('érica@loja.example')).status).toBe(303);
  });

  test('gives the same answer for a wrong password and an unknown account', async () => {
    const email = await newAccount();
    const wrong = await new Merchant(feira.app).signIn(email, 'wrong password');
    const unknown = await new Merchant(feira.app).signIn('unknown@loja.example', 'wrong password');
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(wrong.text.replace(email, '')).toBe(unknown.text.replace('unknown@loja.example', ''));
    expect(wrong.text).toContain('Incorrect e-mail or password');
  });

  test.each(['', '\0@\0', 'no-at', `${'a'.repeat(300)}@loja.example`, 'a@b\u0000', "' or 1=1 --@x"])(
    'with the malformed e-mail %j is rejected like one with a wrong password',
    async (email) => {
      expect((await new Merchant(feira.app).signIn(email, 'some password')).status).toBe(401);
    },
  );

  test('that fails does not show the entered password', async () => {
    const page = await new Merchant(feira.app).signIn(await newAccount(), 'wrong but telling');
    expect(page.html).not.toContain('wrong but telling');
  });
});

describe('guessing', () => {
  test('is stopped after five failures for one account from one address, and even the right password is then rejected', async () => {
    const email = await newAccount();
    expect(await guess(email, 7, '192.0.2.1')).toEqual([401, 401, 401, 401, 401, 429, 429]);
    const right = await browserAt('192.0.2.1').signIn(email);
    expect([right.status, right.text.includes('Too many attempts')]).toEqual([429, true]);
  });

  test('does not lock out the merchant at another address, nor others at the same address', async () => {
    const email = await newAccount();
    await guess(email, 6, '192.0.2.2');
    expect((await browserAt('192.0.2.3').signIn(email)).status).toBe(303);
    expect((await browserAt('192.0.2.2').signIn(await newAccount())).status).toBe(303);
  });

  test('blocks sign-in for fifteen minutes, and attempts rejected with 429 do not prolong this time', async () => {
    const email = await newAccount();
    await guess(email, 5, '192.0.2.4');
    feira.clock.forward(14 * MINUTE);
    expect(await guess(email, 6, '192.0.2.4')).toEqual(Array(6).fill(429));
    feira.clock.forward(MINUTE);
    expect((await browserAt('192.0.2.4').signIn(email)).status).toBe(303);
  });

  test('for one account from one address is counted from zero again after a correct password', async () => {
    const email = await newAccount();
    for (let round = 0; round < 2; round++) {
      expect(await guess(email, 4, '192.0.2.5')).toEqual([401, 401, 401, 401]);
      expect((await browserAt('192.0.2.5').signIn(email)).status).toBe(303);
    }
  });

  test('for one account is stopped after twenty failures from all addresses together', async () => {
    const email = await newAccount();
    expect(await guess(email, 1, '198.51.100.1')).toEqual([401]);
    await repeatLastFailure(18);
    expect(await guess(email, 1, '198.51.100.2')).toEqual([401]);
    expect(await guess(email, 1, '198.51.100.3')).toEqual([429]);
  });

  test('for many accounts is stopped after fifty failures from one address', async () => {
    expect(await guess('nobody1@loja.example', 1, '203.0.113.1')).toEqual([401]);
    await repeatLastFailure(48);
    expect(await guess('nobody2@loja.example', 1, '203.0.113.1')).toEqual([401]);
    expect(await guess('nobody3@loja.example', 1, '203.0.113.1')).toEqual([429]);
  });

  test('counts against the address that a trusted proxy forwards, and clients cannot forge that address', async () => {
    const behind = await openFeira({ on: feira, trustedProxies: ['10.0.0.0/8'] });
    const signIn = async (connects: string, forwarded: string) => {
      const browser = new Merchant(behind.app, { 'x-forwarded-for': forwarded }, connects);
      const account = { email: `behind${++accounts}@loja.example`, password: 'wrong guess' };
      return (await browser.press(await browser.get('/sign-in'), 'Sign in', account)).status;
    };
    expect(await signIn('10.1.2.3', '203.0.113.20')).toBe(401);
    await repeatLastFailure(49);
    expect(await signIn('10.9.9.9', '198.51.100.77, 203.0.113.20')).toBe(429);
    expect(await signIn('10.1.2.3', '203.0.113.21')).toBe(401);
    expect(await signIn('203.0.113.20', '203.0.113.22')).toBe(429);
    await behind.close();
  });

  test('from all addresses of an IPv6 /64 network is counted together', async () => {
    const email = await newAccount();
    for (let host = 1; host <= 5; host++)
      expect(await guess(email, 1, `2001:db8:7:1:${host}::${host}`)).toEqual([401]);
    expect(await guess(email, 1, '2001:db8:7:1:ffff::9')).toEqual([429]);
    expect(await guess(email, 1, '2001:db8:7:2::1')).toEqual([401]);
  });

  test('from an IPv4 address counts the same when it is written as IPv6', async () => {
    const email = await newAccount();
    expect(await guess(email, 5, '192.0.2.40')).toEqual(Array(5).fill(401));
    expect(await guess(email, 1, '::ffff:192.0.2.40')).toEqual([429]);
    expect(await guess(email, 1, '::ffff:c000:228')).toEqual([429]);
    expect(await guess(email, 1, '::ffff:192.0.2.41')).toEqual([401]);
  });

  test('with forty concurrent requests gets no more attempts than in sequence', async () => {
    const email = await newAccount();
    const browser = browserAt('192.0.2.6');
    const page = await browser.get('/sign-in');
    const pages = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        browser.press(page, 'Sign in', { email, password: `wrong guess ${index}` }),
      ),
    );
    expect(pages.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(5);
    expect(pages.every(({ status }) => status === 401 || status === 429)).toBe(true);
  });
});

describe('after sign-in the merchant is redirected', () => {
  let signedIn: Merchant;
  let email: string;
  beforeAll(async () => {
    email = await newAccount();
    signedIn = new Merchant(feira.app);
    await signedIn.signIn(email);
  });

  /** Returns the redirect that a merchant who is already signed in gets for this `next` parameter. */
  const landing = (next: string) => signedIn.get(`/sign-in?${new URLSearchParams({ next })}`);

  /**
   * Submits the form and returns the redirect. The browser sends the hidden field `next`, so its value can be anything.
   */
  async function landingOfForm(next: string): Promise<Page> {
    const merchant = new Merchant(feira.app);
    return merchant.press(await merchant.get('/sign-in'), 'Sign in', { email, password: PASSWORD, next });
  }

  test.each(['/partners', '/oauth/authorize?a=1&b=%2F%2Fevil', '/console/apps?x=//evil.example'])(
    'to the requested page on this server: %s',
    async (next) => {
      expect((await landing(next)).location).toBe(next);
      expect((await landingOfForm(next)).location).toBe(next);
    },
  );

  const FOREIGN = [
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    ' //evil.example',
    '/.//evil.example',
    '/x/..//evil.example',
    '/./\\evil.example',
    '/%2e//evil.example',
    '///evil.example',
    'https://evil.example',
    'https:evil.example',
    'javascript:alert(1)',
    'evil.example',
    '@evil.example',
    '',
  ];

  test.each(FOREIGN)('to the start page if next in the URL is %j', async (next) => {
    expect(await landing(next)).toMatchObject({ status: 303, location: HOME });
  });

  test.each(['//evil.example', '/.//evil.example', 'https://evil.example'])(
    'to the start page if next in the form is %j',
    async (next) => {
      expect(await landingOfForm(next)).toMatchObject({ status: 303, location: HOME });
    },
  );

  test('to no address that would inject a header', async () => {
    const { status, location, headers } = await landing('/\r\nX-Evil: 1');
    expect(status).toBe(303);
    expect(location).not.toMatch(/[\r\n]/);
    expect(headers).not.toHaveProperty('x-evil');
  });
});
