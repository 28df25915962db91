import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { type Feira, openFeira } from '../support/feira.js';
import { Merchant, openStore, PASSWORD } from '../support/merchant.js';

const DEVICE = 'feira-device';

let feira: Feira;
let accounts = 0;
let attackers = 0;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());

async function newAccount(): Promise<string> {
  const email = `owner${++accounts}@loja.example`;
  await openStore(feira, { name: `Loja ${accounts}`, email });
  return email;
}

/** Returns a browser in which the owner has signed in and out again. */
async function knownBrowser(email: string, address = '192.0.2.1'): Promise<Merchant> {
  const browser = new Merchant(feira.app, {}, address);
  expect((await browser.signIn(email)).status).toBe(303);
  await browser.press(await browser.get('/console/apps'), 'Sign out');
  return browser;
}

function copyOf(browser: Merchant, address: string): Merchant {
  const copy = new Merchant(feira.app, {}, address);
  copy.cookies.set(DEVICE, browser.cookies.get(DEVICE)!);
  return copy;
}

/** Records so many failed attempts that the account rejects all attempts from unknown browsers. */
async function lockOut(email: string, address = `198.51.100.${++attackers}`): Promise<void> {
  const attacker = new Merchant(feira.app, {}, address);
  await attacker.signIn(email, 'a wrong guess');
  await feira.context.db.store('test').autocommit.query(sql`
    insert into sign_in_failures (subject, failed_at)
    select subject, failed_at from sign_in_failures, generate_series(1, 50)
    where id = (select id from sign_in_failures order by id desc limit 1)`);
  expect((await new Merchant(feira.app, {}, '203.0.113.9').signIn(email)).status).toBe(429);
}

describe('a browser in which the owner signed in before', () => {
  test('still lets the owner in while others guess the password, even from the same address', async () => {
    const email = await newAccount();
    const browser = await knownBrowser(email, '192.0.2.99');
    await lockOut(email, '192.0.2.99');
    expect((await browser.signIn(email)).status).toBe(303);
  });

  test('has five attempts of its own, and is then rejected', async () => {
    const email = await newAccount();
    const browser = await knownBrowser(email);
    for (let guess = 1; guess <= 5; guess++)
      expect((await browser.signIn(email, `wrong guess ${guess}`)).status).toBe(401);
    expect((await browser.signIn(email)).status).toBe(429);
    expect((await new Merchant(feira.app, {}, '203.0.113.10').signIn(email)).status).toBe(303);
  });

  test('is known only for the accounts that signed in there', async () => {
    const [email, other] = [await newAccount(), await newAccount()];
    const browser = await knownBrowser(email);
    await lockOut(other);
    expect((await browser.signIn(other)).status).toBe(429);
    await lockOut(email);
    expect((await browser.signIn(email)).status).toBe(303);
  });

  test('cannot be imitated with a forged cookie', async () => {
    const email = await newAccount();
    await lockOut(email);
    for (const value of ['', 'x', '.', 'a.b', 'a'.repeat(22), `${'a'.repeat(22)}.${'b'.repeat(43)}`]) {
      const browser = new Merchant(feira.app, {}, '203.0.113.11');
      browser.cookies.set(DEVICE, value);
      expect((await browser.signIn(email)).status).toBe(429);
    }
  });

  test('keeps a persistent cookie that scripts cannot read and that does not contain the e-mail', async () => {
    const email = await newAccount();
    const browser = new Merchant(feira.app, {}, '192.0.2.2');
    const page = await browser.signIn(email);
    const cookie = [page.headers['set-cookie']].flat().find((each) => String(each).startsWith(`${DEVICE}=`));
    expect(cookie).toMatch(
      /^feira-device=[\w-]{22}\.[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(cookie).not.toContain(email);
  });

  test('is remembered only for the last five accounts', async () => {
    const first = await newAccount();
    const browser = await knownBrowser(first);
    for (let others = 0; others < 5; others++) {
      await browser.signIn(await newAccount());
      await browser.press(await browser.get('/console/apps'), 'Sign out');
    }
    expect(browser.cookies.get(DEVICE)!.split('.')).toHaveLength(6);
    await lockOut(first);
    expect((await copyOf(browser, '203.0.113.12').signIn(first)).status).toBe(429);
  });
});

describe('checking passwords', () => {
  async function failures(): Promise<number> {
    const [row] = await feira.context.db
      .store('test')
      .query<{ count: number }>(sql`select count(distinct id) as count from sign_in_failures`);
    return row!.count;
  }

  // The queue is full with 2 running and 24 waiting sign-ins. Each of their 26 hashes takes seconds while other test
  // files run.
  test('returns 503 with Retry-After when the queue is full, and does not count this as a failed attempt', {
    timeout: 120_000,
  }, async () => {
    const email = await newAccount();
    const browser = new Merchant(feira.app, {}, '192.0.2.3');
    const form = await browser.get('/sign-in');
    const before = await failures();
    const pages = await Promise.all(
      Array.from({ length: 49 }, (_, index) =>
        browser.press(form, 'Sign in', { email: `unknown${index}@loja.example`, password: PASSWORD }),
      ),
    );
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([401, 503]));
    const busy = pages.filter(({ status }) => status === 503);
    expect(busy[0]!.text).toContain('The service is busy. Try again in a few seconds.');
    expect(busy[0]!.headers['retry-after']).toBe('5');
    expect((await failures()) - before).toBe(49 - busy.length);
    expect((await browser.signIn(email)).status).toBe(303);
  });
});
