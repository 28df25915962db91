import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { raw, sql } from '../../src/platform/db/sql.js';
import { type Feira, openFeira } from '../support/feira.js';
import { authorizationQuery, CALLBACK, Integrator, pkce } from '../support/integrator.js';
import { ANA, answerOf, Merchant, openStore, PASSWORD } from '../support/merchant.js';

let feira: Feira;
const lines: string[] = [];
/** Secrets that must not appear in a log or a copy of the database, by kind. */
const secrets: Record<string, string> = {};
let stored: string;

beforeAll(async () => {
  feira = await openFeira({ logTo: { write: (line) => void lines.push(line) } });
  await useEverySecret();
  stored = await everythingStored();
});
afterAll(() => feira.close());

/** Performs operations in which integrators and merchants use secrets, including common mistakes. */
async function useEverySecret(): Promise<void> {
  await openStore(feira);
  const dev = new Merchant(feira.app);
  secrets['session id before sign-up'] = await visited(dev, '/partners');
  secrets["integrator's password"] = 'the password of an integrator';
  await dev.press(await dev.get('/partners'), 'Create account', {
    email: 'dev@erp.example',
    password: secrets["integrator's password"],
  });
  const made = await dev.press(await dev.get('/partners/apps/new'), 'Register', {
    name: 'ERP',
    'redirect-uris': CALLBACK,
    contact: 'dev@erp.example',
  });
  const shown = await dev.get(made.location!);
  const clientId = /app_[0-9a-f]{24}/.exec(shown.text)![0];
  secrets['client secret'] = /feira_cs_[\w-]{43}/.exec(shown.text)![0];
  const rotated = await dev.press(shown, 'Create a new secret');
  secrets['second client secret'] = /feira_cs_[\w-]{43}/.exec((await dev.get(rotated.location!)).text)![0];
  secrets["integrator's session id"] = dev.cookies.get('feira')!;

  const ana = new Merchant(feira.app);
  secrets["merchant's password"] = PASSWORD;
  secrets['wrong password'] = 'nearly the right password';
  await ana.signIn(ANA, secrets['wrong password']);
  secrets['session id before sign-in'] = ana.cookies.get('feira')!;
  // People sometimes type the password into the e-mail field.
  secrets['password typed as e-mail'] = 'p@ssword-in-the-wrong-field';
  await ana.signIn(secrets['password typed as e-mail'], PASSWORD);
  await ana.signIn();
  secrets["merchant's session id"] = ana.cookies.get('feira')!;

  const erp = new Integrator(feira.app, { clientId, clientSecret: secrets['client secret'] });
  const proof = pkce();
  secrets['code verifier'] = proof.verifier;
  const query = { ...authorizationQuery({ clientId }, proof), scope: 'products:write webhooks:manage' };
  const answer = answerOf(await ana.approve(query));
  secrets.code = answer.code!;
  await erp.exchange({ code: answer.code!, verifier: pkce().verifier });
  await erp.exchange({ code: answer.code!, verifier: proof.verifier }, { client_secret: 'feira_cs_wrong' });
  const tokens = (await erp.exchange({ code: answer.code!, verifier: proof.verifier })).body;
  secrets['access token'] = tokens.access_token;
  secrets['refresh token'] = tokens.refresh_token;
  const renewed = (await erp.refresh(tokens.refresh_token)).body;
  secrets['second access token'] = renewed.access_token;
  secrets['second refresh token'] = renewed.refresh_token;

  await erp.me(tokens.access_token);
  const headers = { authorization: `Bearer ${renewed.access_token}`, 'idempotency-key': 'k' };
  await feira.app.inject({ method: 'POST', url: '/api/v1/products', headers, payload: '{"name":"x"}' });
  const post = async (path: string, key: string, payload?: object) =>
    (
      await feira.app.inject({
        method: 'POST',
        url: `/api/v1/webhooks${path}`,
        headers: { ...headers, 'idempotency-key': key },
        ...(payload && { payload }),
      })
    ).json();
  const hook = await post('', 'create', { url: 'https://erp.example/hook', events: ['order.paid'] });
  secrets['webhook secret'] = hook.secret;
  secrets['second webhook secret'] = (await post(`/${hook.id}/rotate-secret`, 'rotate')).secret;
  // Sends secrets in places where they do not belong: in the query of an API call, of a page, and of an unknown path.
  for (const path of ['/api/v1/me', '/sign-in', '/nothing'])
    await feira.app.inject(`${path}?access_token=${tokens.access_token}&code=${answer.code}`);
  await erp.token({ client_secret: secrets['client secret'] }, erp.basic());
  await erp.refresh(tokens.refresh_token);
  await erp.exchange({ code: answer.code!, verifier: proof.verifier });
  await erp.revoke(renewed.access_token);

  secrets["merchant's new password"] = 'the next password of the merchant';
  await ana.press(await ana.get('/console/password'), 'Change password', {
    password: PASSWORD,
    'new-password': secrets["merchant's new password"],
  });
}

async function visited(browser: Merchant, url: string): Promise<string> {
  await browser.get(url);
  return browser.cookies.get('feira')!;
}

/** Returns every row of every table as text. Binary columns appear as hexadecimal digits. */
async function everythingStored(): Promise<string> {
  const { db } = feira.context;
  const tables = await db
    .store('test')
    .query<{ name: string }>(
      sql`select format('%I', table_name) as name from information_schema.tables where table_schema = 'public'`,
    );
  const dumps = tables.map(({ name }) =>
    db.store('test').query<{ row: string }>(sql`select t::text as row from ${raw(name)} t`),
  );
  return (await Promise.all(dumps))
    .flat()
    .map(({ row }) => row)
    .join('\n');
}

/**
 * Returns the secret as text, percent-encoded, in hexadecimal and in base64. If it ends with a random part in
 * base64 or base64url, that part is included as text and, decoded, in hexadecimal.
 */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const random = /(?:[\w-]{43}|[\w+/]{43}=)$/.exec(secret)?.[0];
  const plain = [secret, encodeURIComponent(secret), bytes.toString('hex'), bytes.toString('base64')];
  return random ? [...plain, random, Buffer.from(random, 'base64').toString('hex')] : plain;
}

describe('after sign-ups, sign-ins, consents, token requests, secret rotations and mistakes', () => {
  test('the log has lines about the requests, and none of them contains a secret', () => {
    expect(lines.length).toBeGreaterThan(25);
    const log = lines.join('');
    for (const [what, secret] of Object.entries(secrets))
      for (const form of formsOf(secret)) expect([what, log.includes(form)]).toEqual([what, false]);
  });

  test('no table contains a secret, as text or in another encoding', () => {
    for (const [what, secret] of Object.entries(secrets))
      for (const form of formsOf(secret)) expect([what, stored.includes(form)]).toEqual([what, false]);
  });

  test('the searches in these tests work: they find hashes, an e-mail and a logged path', () => {
    expect(Object.keys(secrets).length).toBeGreaterThan(16);
    expect(secrets['second webhook secret']).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(stored).toContain(ANA);
    for (const what of ['client secret', 'refresh token', 'code', "merchant's session id"])
      expect([what, stored.includes(hash('sha256', secrets[what]!, 'hex'))]).toEqual([what, true]);
    expect(lines.join('')).toContain('/api/oauth/token');
  });
});
