import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Feira, openFeira } from '../support/feira.js';
import { authorizationQuery, CALLBACK, Integrator, pkce, registerApp } from '../support/integrator.js';
import { Merchant, openStore } from '../support/merchant.js';
import { sized } from '../support/sized.js';

// The number of random inputs per test. Whatever they contain, the response must have an expected status, never a 5xx.
const RUNS = { numRuns: sized(40, 300) };

let feira: Feira;
let erp: Integrator;
let cookie: string;

beforeAll(async () => {
  feira = await openFeira();
  await openStore(feira);
  erp = new Integrator(feira.app, await registerApp(feira));
  const ana = new Merchant(feira.app);
  await ana.signIn();
  cookie = [...ana.cookies].map((pair) => pair.join('=')).join('; ');
});
afterAll(() => feira.close());

const NAMES = [
  ...['grant_type', 'client_id', 'client_secret', 'code', 'redirect_uri', 'code_verifier', 'refresh_token'],
  ...['token', 'response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method', 'response_mode'],
  ...['csrf', 'decision', 'store', 'email', 'next', '__proto__', 'constructor', ''],
];
const name = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...NAMES) }, fc.string({ unit: 'binary' }));

/** Generates valid values (to pass the early checks), values that belong to another parameter, and invalid values. */
const value = () =>
  fc.oneof(
    fc.constantFrom(
      ...['authorization_code', 'refresh_token', 'code', 'S256', 'approve', 'products:read', CALLBACK, ''],
      ...[erp.credentials.clientId, erp.credentials.clientSecret, pkce().challenge, '\0', '\ud800', '💥'],
      ...['feira_ac_', 'feira_rt_', 'feira_at_'].map((prefix) => prefix + '\0'.repeat(43)),
    ),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
  );
const pairs = () => fc.array(fc.tuple(name, value()), { maxLength: 12 });
const encoded = (list: [string, string][]) => new URLSearchParams(list).toString();
const raw = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constantFrom('%', '%zz', '%c0%80', '&&&===', '=', '+%00', '%ff%fe=%ff'),
);
const type = fc.oneof(
  { weight: 9, arbitrary: fc.constant('application/x-www-form-urlencoded') },
  fc.constantFrom('', 'a', '/', 'text/plain', 'application/json', 'multipart/form-data', 'a/b;c="'),
);
const authorization = () =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    fc.string({ unit: 'binary-ascii' }).map((text) => text.replace(/[^\x20-\x7e]/g, '')),
    fc.string({ unit: 'binary' }).map((text) => `Basic ${Buffer.from(text).toString('base64')}`),
    fc.constant(erp.basic().authorization),
  );

async function statusOf(request: {
  method: 'GET' | 'POST';
  url: string;
  body?: Buffer | string;
  headers?: Record<string, string | undefined>;
}): Promise<number> {
  const headers = Object.fromEntries(
    Object.entries(request.headers ?? {}).filter(([, each]) => each !== undefined),
  ) as Record<string, string>;
  const { method, url, body } = request;
  const response = await feira.app.inject({
    method,
    url,
    headers,
    ...(body !== undefined && { payload: body }),
  });
  return response.statusCode;
}

test.each(['/api/oauth/token', '/api/oauth/revoke'])(
  'POST %s answers random input without a 5xx, and only a revocation may succeed',
  async (url) => {
    const body = fc.oneof({ weight: 3, arbitrary: pairs().map(encoded) }, raw);
    await fc.assert(
      fc.asyncProperty(body, type, authorization(), async (sent, contentType, header) => {
        const headers = { 'content-type': contentType, authorization: header };
        const status = await statusOf({ method: 'POST', url, body: sent, headers });
        expect(status < 500 && (status >= 400 || url.endsWith('revoke'))).toBe(true);
      }),
      RUNS,
    );
  },
);

test('POST /api/oauth/token responds with 400 to invalid input from an authenticated client', async () => {
  const grantType = fc.constantFrom('authorization_code', 'refresh_token');
  const credential = fc.oneof(value(), fc.string({ unit: 'binary', minLength: 43, maxLength: 43 }));
  await fc.assert(
    fc.asyncProperty(grantType, credential, value(), value(), async (grant_type, sent, uri, verifier) => {
      const answer = await erp.token({
        ...erp.bodyCredentials(),
        grant_type,
        code: sent,
        refresh_token: sent,
        redirect_uri: uri,
        code_verifier: verifier,
      });
      expect(answer.status).toBe(400);
      expect(['invalid_grant', 'invalid_request']).toContain(answer.body.error);
    }),
    RUNS,
  );
});

test('GET /oauth/authorize answers random input with a page or a redirect, signed in or not', async () => {
  const query = fc.oneof(
    { weight: 3, arbitrary: pairs().map(encoded) },
    raw.map((text) => encodeURI(text.toString().toWellFormed())),
    raw.map((text) => encodeURIComponent(text.toString().toWellFormed())),
    pairs().map((more) => encoded([...Object.entries(authorizationQuery(erp.credentials)), ...more])),
  );
  await fc.assert(
    fc.asyncProperty(query, fc.boolean(), async (search, isSignedIn) => {
      const headers = { cookie: isSignedIn ? cookie : undefined };
      const url = `/oauth/authorize?${search}`;
      expect([200, 303, 400]).toContain(await statusOf({ method: 'GET', url, headers }));
    }),
    RUNS,
  );
});

test.each(['/oauth/authorize', '/sign-in', '/sign-out', '/partners/sign-up', '/console/apps/disconnect'])(
  'POST %s answers random input with 4xx or a redirect',
  async (url) => {
    const body = fc.oneof(
      { weight: 3, arbitrary: pairs().map(encoded) },
      raw,
      pairs().map((more) => encoded([...Object.entries(authorizationQuery(erp.credentials)), ...more])),
    );
    await fc.assert(
      fc.asyncProperty(body, type, fc.boolean(), async (sent, contentType, isSignedIn) => {
        const headers = { 'content-type': contentType, cookie: isSignedIn ? cookie : undefined };
        const status = await statusOf({ method: 'POST', url, body: sent, headers });
        expect(status >= 300 && status < 500).toBe(true);
      }),
      RUNS,
    );
  },
);

test('GET /sign-in returns a page, whatever the cookie and the parameter "next" contain', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary-ascii' }), async (next, id) => {
      const url = `/sign-in?next=${encodeURIComponent(next.toWellFormed())}`;
      const headers = { cookie: `feira=${id.replace(/[^\x20-\x7e]/g, '')}` };
      expect(await statusOf({ method: 'GET', url, headers })).toBe(200);
    }),
    RUNS,
  );
});

test('a sign-in with a valid CSRF token, any e-mail and a password that is too short returns 401', async () => {
  const stranger = new Merchant(feira.app);
  const page = await stranger.get('/sign-in');
  // The passwords are too short to be valid, so that none of them is hashed.
  const password = fc.string({ unit: 'binary', maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), password, async (email, typed) => {
      const sent = { email: email.toWellFormed(), password: typed.toWellFormed() };
      expect((await stranger.press(page, 'Sign in', sent)).status).toBe(401);
    }),
    RUNS,
  );
});
