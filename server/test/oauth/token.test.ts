import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Feira, openFeira } from '../support/feira.js';
import { CALLBACK, expectTokenError, type Integrator, openErp, postForm } from '../support/integrator.js';
import type { Merchant } from '../support/merchant.js';

let feira: Feira;
let erp: Integrator;
let ana: Merchant;

beforeAll(async () => {
  feira = await openFeira();
  ({ ana, erp } = await openErp(feira));
});
afterAll(() => feira.close());

const URL_ENCODED = 'application/x-www-form-urlencoded';

describe('a request with several errors is answered with the error of the first check that fails', () => {
  // Each row corrects the error of the row above, so that the next error is reported.
  const stages: [string, Record<string, string>, number, string][] = [
    ['content type', { type: 'application/json' }, 400, 'invalid_request'],
    ['grant_type missing', { type: URL_ENCODED }, 400, 'invalid_request'],
    ['grant_type unsupported', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['client_id missing', { grant_type: 'authorization_code' }, 400, 'invalid_request'],
    ['client_secret missing', { client_id: 'app_unknown' }, 400, 'invalid_request'],
    ['client unknown', { client_secret: 'wrong' }, 401, 'invalid_client'],
    ['client_secret wrong', { client_id: 'ours' }, 401, 'invalid_client'],
    ['code missing', { client_secret: 'ours' }, 400, 'invalid_request'],
    ['redirect_uri missing', { code: 'unknown' }, 400, 'invalid_request'],
    ['code_verifier missing', { redirect_uri: 'https://evil.example/' }, 400, 'invalid_request'],
    ['code unknown', { code_verifier: 'wrong' }, 400, 'invalid_grant'],
  ];
  const descriptions = [
    'application/x-www-form-urlencoded',
    'grant_type is missing',
    'grant_type must be',
    'client_id is missing',
    'client_secret is missing',
    'incorrect',
    'incorrect',
    'code is missing',
    'redirect_uri is missing',
    'code_verifier is missing',
    'code is not valid',
  ];

  test.each(stages.map(([name, , status, error], index) => [name, status, error, index] as const))(
    '%s → %i %s',
    async (_name, status, error, index) => {
      const sent = Object.assign({}, ...stages.slice(0, index + 1).map(([, mended]) => mended));
      const { type, ...fields } = sent as Record<string, string>;
      if (fields.client_id === 'ours') fields.client_id = erp.credentials.clientId;
      if (fields.client_secret === 'ours') fields.client_secret = erp.credentials.clientSecret;
      const answer = await erp.token(fields, { 'content-type': type! });
      expectTokenError(answer, status, error);
      expect(answer.body.error_description).toContain(descriptions[index]);
    },
  );

  test('in a refresh, too, an invalid client is reported before a missing refresh_token', async () => {
    const wrong = { ...erp.bodyCredentials(), client_secret: 'wrong', grant_type: 'refresh_token' };
    expectTokenError(await erp.token(wrong), 401, 'invalid_client');
    expectTokenError(await erp.refresh(''), 400, 'invalid_request');
    expectTokenError(await erp.refresh('unknown'), 400, 'invalid_grant');
  });
});

describe('invalid client authentication is rejected', () => {
  const secretOfRightForm = `feira_cs_${'a'.repeat(43)}`;
  test.each([
    ['an unknown client_id', { client_id: `app_${'0'.repeat(24)}` }],
    ['a malformed client_id', { client_id: 'erp' }],
    ['a NUL in client_id', { client_id: 'app_\0' }],
    ['a wrong secret', { client_secret: secretOfRightForm }],
    ['a NUL in the secret', { client_secret: `feira_cs_${'a'.repeat(42)}\0` }],
    ['a secret in another format', { client_secret: 'x'.repeat(2000) }],
  ])('%s in the body → 401 without a challenge', async (_name, change) => {
    const answer = await erp.refresh('unknown', change);
    expectTokenError(answer, 401, 'invalid_client');
    expect(answer.headers['www-authenticate']).toBeUndefined();
  });

  test.each([
    ['an unknown client_id', `app_${'0'.repeat(24)}:${secretOfRightForm}`],
    ['a wrong secret', ''],
    ['a NUL', 'app_\0:\0'],
    ['bytes that are not UTF-8', '\xff\xfe:\xff'],
  ])('%s in HTTP Basic → 401 with the Basic challenge', async (_name, pair) => {
    const authorization = pair
      ? `Basic ${Buffer.from(pair, 'latin1').toString('base64')}`
      : erp.basic(secretOfRightForm).authorization;
    const answer = await erp.token({ grant_type: 'refresh_token', refresh_token: 'x' }, { authorization });
    expectTokenError(answer, 401, 'invalid_client');
    expect(answer.headers['www-authenticate']).toBe('Basic realm="feira"');
  });

  test('a secret in the body and in HTTP Basic, even if both are right → invalid_request', async () => {
    const fields = { ...erp.bodyCredentials(), grant_type: 'refresh_token', refresh_token: 'unknown' };
    expectTokenError(await erp.token(fields, erp.basic()), 400, 'invalid_request');
  });

  test('a client_id in the body that is not the one in HTTP Basic → invalid_request', async () => {
    const fields = { client_id: `app_${'0'.repeat(24)}`, grant_type: 'refresh_token', refresh_token: 'x' };
    expectTokenError(await erp.token(fields, erp.basic()), 400, 'invalid_request');
  });

  test.each(['Bearer abc', 'Basic', 'Basic !', 'Basic Og==', 'Basic YWJj', 'Digest x="y"'])(
    'the header "Authorization: %s" → invalid_request',
    async (authorization) => {
      const fields = { grant_type: 'refresh_token', refresh_token: 'x' };
      expectTokenError(await erp.token(fields, { authorization }), 400, 'invalid_request');
    },
  );
});

describe('the request body', () => {
  test.each([
    'grant_type',
    'client_id',
    'client_secret',
    'code',
    'code_verifier',
    'redirect_uri',
    'nonsense',
  ])('%s sent twice, even with the same value → invalid_request, and the code stays valid', async (name) => {
    const { code, verifier } = await erp.authorized(ana);
    const fields = new URLSearchParams({
      grant_type: 'authorization_code',
      ...erp.bodyCredentials(),
      code,
      redirect_uri: CALLBACK,
      code_verifier: verifier,
      nonsense: '1',
    });
    fields.append(name, fields.get(name)!);
    expectTokenError(
      await postForm(feira.app, '/api/oauth/token', fields.toString()),
      400,
      'invalid_request',
    );
    expect((await erp.exchange({ code, verifier })).status).toBe(200);
  });

  test('may contain unknown parameters, and its content type may have a charset', async () => {
    const answer = await erp.token(
      {
        grant_type: 'refresh_token',
        refresh_token: (await erp.connected(ana)).refresh_token,
        ...erp.bodyCredentials(),
        resource: 'https://x',
      },
      { 'content-type': 'Application/X-WWW-Form-URLencoded; charset=UTF-8' },
    );
    expect(answer.status).toBe(200);
  });

  test.each(['', 'text/plain', 'multipart/form-data; boundary=x', '/', 'garbage', 'application/json'])(
    'content type "%s" → invalid_request, in the format of RFC 6749',
    async (type) => {
      expectTokenError(
        await erp.token({ grant_type: 'refresh_token' }, { 'content-type': type }),
        400,
        'invalid_request',
      );
    },
  );

  test('no body at all, or bytes that are not UTF-8 → invalid_request', async () => {
    expectTokenError(await postForm(feira.app, '/api/oauth/token', ''), 400, 'invalid_request');
    const answer = await feira.app.inject({
      method: 'POST',
      url: '/api/oauth/token',
      headers: { 'content-type': URL_ENCODED },
      payload: Buffer.from([0x67, 0xff, 0xfe]),
    });
    expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_request']);
  });

  test('that is too large is rejected with 413 in the format of RFC 6749', async () => {
    const answer = await erp.token({ grant_type: 'x'.repeat(1_100_000) });
    expect(answer.status).toBe(413);
    expect(answer.body).toEqual({ error: 'invalid_request', error_description: expect.any(String) });
  });
});
