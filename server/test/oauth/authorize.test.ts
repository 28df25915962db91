import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Feira, openFeira } from '../support/feira.js';
import {
  authorizationQuery,
  CALLBACK,
  pkce,
  type RegisteredApp,
  registerApp,
} from '../support/integrator.js';
import { answerOf, Merchant, openStore, type Page } from '../support/merchant.js';

let feira: Feira;
let erp: RegisteredApp;
let ana: Merchant;
let query: Record<string, string>;

beforeAll(async () => {
  feira = await openFeira({ publicUrl: 'https://feira.test' });
  await openStore(feira);
  erp = await registerApp(feira);
  query = authorizationQuery(erp);
  ana = new Merchant(feira.app);
  await ana.signIn();
});
afterAll(() => feira.close());

const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)));

/** Expects the same error for the URL that the merchant opens and for the form that the page submits. */
async function bothWays(search: string, check: (page: Page) => void): Promise<void> {
  check(await ana.get(`/oauth/authorize?${search}`));
  check(await ana.post('/oauth/authorize', `${search}&decision=approve`));
}

function isErrorPage(page: Page): void {
  expect(page.status).toBe(400);
  expect(page.location).toBeUndefined();
  expect(page.headers['content-type']).toContain('text/html');
  expect(page.text).toContain('Nothing was approved');
}

describe('a request whose client_id or redirect_uri cannot be trusted gets an error page and no redirect', () => {
  test.each([
    ['unknown', `app_${'0'.repeat(24)}`],
    ['malformed', 'my-erp'],
    ['with a NUL', 'app_\0'],
    ['in uppercase', 'upper'],
    ['with a leading space', 'spaced'],
    ['with a quote and a tag', '"><script>'],
  ])('client_id: %s', async (_name, value) => {
    const clientId = { upper: erp.clientId.toUpperCase(), spaced: ` ${erp.clientId}` }[value] ?? value;
    await bothWays(new URLSearchParams({ ...query, client_id: clientId }).toString(), isErrorPage);
  });

  test.each([
    ['a suffix', `${CALLBACK}.evil.example`],
    ['one more path segment', `${CALLBACK}/more`],
    ['a trailing slash', `${CALLBACK}/`],
    ['..', 'https://erp.example/x/../callback'],
    ['%2e', 'https://erp.example/x/%2e%2e/callback'],
    ['a percent-encoded letter', 'https://erp.example/%63allback'],
    ['an uppercase letter in the path', 'https://erp.example/Callback'],
    ['uppercase letters in the host', 'https://ERP.example/callback'],
    ['the default port written out', 'https://erp.example:443/callback'],
    ['another port', 'https://erp.example:8443/callback'],
    ['another scheme', 'http://erp.example/callback'],
    ['userinfo', 'https://erp.example@evil.example/callback'],
    ['userinfo before the right host', 'https://evil@erp.example/callback'],
    ['a fragment', `${CALLBACK}#x`],
    ['another query parameter', `${CALLBACK}?next=https://evil.example`],
    ['an empty query', `${CALLBACK}?`],
    ['a trailing dot in the host', 'https://erp.example./callback'],
    ['a backslash', 'https://erp.example\\@evil.example/callback'],
    ['a subdomain', 'https://evil.erp.example/callback'],
    ['leading white space', ` ${CALLBACK}`],
    ['a line break and a header', `${CALLBACK}\r\nX-Evil: 1`],
    ['a trailing NUL', `${CALLBACK}\0`],
    ['a script', 'javascript:alert(1)'],
    ['an empty value', ''],
  ])('redirect_uri with %s', async (_name, redirectUri) => {
    await bothWays(new URLSearchParams({ ...query, redirect_uri: redirectUri }).toString(), isErrorPage);
  });

  test.each(['client_id', 'redirect_uri'])('%s missing', async (name) => {
    await bothWays(new URLSearchParams(without(name)).toString(), isErrorPage);
  });

  test.each(['client_id', 'redirect_uri'])('%s sent twice, even with the same value', async (name) => {
    const twice = new URLSearchParams(query);
    twice.append(name, query[name]!);
    await bothWays(twice.toString(), isErrorPage);
  });

  test('a redirect_uri that is not registered, even before the merchant has signed in', async () => {
    const stranger = new Merchant(feira.app);
    isErrorPage(await stranger.consent({ ...query, redirect_uri: 'https://evil.example/' }));
  });

  test('the error page contains no markup from the client_id', async () => {
    const page = await ana.consent({ ...query, client_id: '<script>alert(1)</script>' });
    expect(page.html).not.toContain('<script');
  });
});

describe('every other error is returned to the app in a redirect', () => {
  const short = 'a'.repeat(42);
  test.each([
    ['an empty code_challenge (PKCE is required)', { code_challenge: '' }, 'invalid_request'],
    ['code_challenge_method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['an empty code_challenge_method (which means plain)', { code_challenge_method: '' }, 'invalid_request'],
    ['code_challenge_method in lowercase', { code_challenge_method: 's256' }, 'invalid_request'],
    ['a code_challenge of 42 characters', { code_challenge: short }, 'invalid_request'],
    ['a code_challenge of 44 characters', { code_challenge: `${short}aa` }, 'invalid_request'],
    ['a code_challenge with padding', { code_challenge: `${short}=` }, 'invalid_request'],
    ['a code_challenge in plain base64', { code_challenge: `${short}+` }, 'invalid_request'],
    ['a code_challenge followed by a line break', { code_challenge: `${short}a\n` }, 'invalid_request'],
    ['an empty response_type', { response_type: '' }, 'invalid_request'],
    ['response_type token', { response_type: 'token' }, 'unsupported_response_type'],
    ['response_type "code token"', { response_type: 'code token' }, 'unsupported_response_type'],
    ['response_mode fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['an unknown scope', { scope: 'products:read everything' }, 'invalid_scope'],
    ['a scope with an uppercase letter', { scope: 'Products:read' }, 'invalid_scope'],
    ['a scope named like a property of every object', { scope: 'constructor' }, 'invalid_scope'],
    ['scopes separated by commas', { scope: 'products:read,orders:read' }, 'invalid_scope'],
    ['an empty scope', { scope: '' }, 'invalid_scope'],
    ['a scope with only spaces', { scope: '  ' }, 'invalid_scope'],
    ['a state with a line break', { state: 'a\r\nb' }, 'invalid_request'],
    ['a state with a NUL', { state: 'a\0b' }, 'invalid_request'],
    ['a scope with a NUL', { scope: 'products:read\0' }, 'invalid_scope'],
  ] as [string, Record<string, string>, string][])('%s', async (_name, change, error) => {
    await bothWays(new URLSearchParams({ ...query, ...change }).toString(), (page) => {
      expect(page.location?.startsWith(`${CALLBACK}?`)).toBe(true);
      expect(answerOf(page)).toEqual({
        error,
        error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
        state: change.state ?? query.state,
        iss: 'https://feira.test',
      });
    });
  });

  test.each(['scope', 'response_type', 'code_challenge', 'code_challenge_method', 'nonsense'])(
    '%s sent more than once',
    async (name) => {
      const twice = new URLSearchParams(query);
      twice.append(name, query[name] ?? '1');
      twice.append(name, '2');
      await bothWays(twice.toString(), (page) => {
        expect(answerOf(page)).toMatchObject({ error: 'invalid_request', state: query.state });
      });
    },
  );

  test('state sent twice: no state is returned, because it is unclear which one was meant', async () => {
    const twice = `${new URLSearchParams(query)}&state=other`;
    await bothWays(twice, (page) => {
      expect(answerOf(page)).toEqual({
        error: 'invalid_request',
        error_description: expect.any(String),
        iss: 'https://feira.test',
      });
    });
  });

  test('a parameter sent twice whose name has special characters: the error_description has only characters that RFC 6749 allows', async () => {
    const name = encodeURIComponent(`"\\é\n${'😀'.repeat(30)}`);
    await bothWays(`${new URLSearchParams(query)}&${name}=1&${name}=2`, (page) => {
      expect(answerOf(page).error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
    });
  });

  test('no state is returned when none was sent', async () => {
    const page = await ana.consent({ ...without('state'), scope: 'everything' });
    expect(answerOf(page)).not.toHaveProperty('state');
  });
});

describe('the response parameters are appended to the redirect URI, which stays unchanged', () => {
  test.each([
    ['a query', 'https://erp.example/in?tenant=a%20b&flag&sig=x%2By', '&'],
    ['a question mark without a query', 'https://erp.example/in?', ''],
    ['a path with percent signs', 'https://erp.example/a%2Fb/~c', '?'],
    ['a port', 'https://erp.example:8443', '?'],
    ['a loopback address', 'http://127.0.0.1:4000/cb', '?'],
  ])('a redirect URI with %s', async (_name, redirectUri, joint) => {
    const other = await registerApp(feira, { redirectUris: [redirectUri, CALLBACK] });
    const asked = { ...authorizationQuery(other), redirect_uri: redirectUri };
    for (const page of [
      await ana.approve(asked),
      await ana.deny(asked),
      await ana.consent({ ...asked, scope: '' }),
    ]) {
      expect(page.status).toBe(303);
      expect(page.location).toMatch(
        new RegExp(`^${`${redirectUri}${joint}`.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(code|error)=`),
      );
    }
  });
});

test('unknown parameters are ignored, and response_mode=query is accepted', async () => {
  const page = await ana.consent({ ...query, ...{ prompt: 'login', nonce: 'n', response_mode: 'query' } });
  expect(page.status).toBe(200);
  expect(answerOf(await ana.press(page, 'Approve'))).toHaveProperty('code');
});

test('two approvals of one request create two codes', async () => {
  const asked = authorizationQuery(erp, pkce());
  const [first, second] = [answerOf(await ana.approve(asked)), answerOf(await ana.approve(asked))];
  expect(first.code).not.toBe(second.code);
});
