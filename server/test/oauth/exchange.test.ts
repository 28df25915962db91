import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Feira, openFeira } from '../support/feira.js';
import { CALLBACK, expectTokenError, type Integrator, openErp, pkce } from '../support/integrator.js';
import type { Merchant } from '../support/merchant.js';

let feira: Feira;
let erp: Integrator;
let ana: Merchant;

beforeAll(async () => {
  feira = await openFeira();
  ({ ana, erp } = await openErp(feira));
});
afterAll(() => feira.close());

describe('a successful response', () => {
  test('has exactly the documented fields, and must not be cached', async () => {
    const answer = await erp.exchange(await erp.authorized(ana));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^feira_at_[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 7200,
      refresh_token: expect.stringMatching(/^feira_rt_[\w-]{43}$/),
      scope: 'products:read orders:read',
    });
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers.pragma).toBe('no-cache');
    const renewed = await erp.refresh(answer.body.refresh_token);
    expect(Object.keys(renewed.body)).toEqual(Object.keys(answer.body));
    expect(renewed.body).toMatchObject({ token_type: 'Bearer', expires_in: 7200, scope: answer.body.scope });
    expect(renewed.body.access_token).not.toBe(answer.body.access_token);
    expect(renewed.body.refresh_token).not.toBe(answer.body.refresh_token);
  });

  test('is also returned to a client that authenticates with HTTP Basic', async () => {
    const { code, verifier } = await erp.authorized(ana);
    const fields = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: verifier,
    };
    const answer = await erp.token(fields, erp.basic());
    expect(answer.status).toBe(200);
    expect((await erp.me(answer.body.access_token)).body.app.clientId).toBe(erp.credentials.clientId);
  });
});

describe('the PKCE verifier', () => {
  const verifiers: [string, string][] = [
    ['42 characters', 'a'.repeat(42)],
    ['129 characters', 'a'.repeat(129)],
    ['a character outside the alphabet', `${'a'.repeat(43)}+`],
    ['a line break at the end', `${'a'.repeat(43)}\n`],
    ['a letter outside ASCII', 'é'.repeat(43)],
  ];
  test.each(verifiers)('with %s is rejected even if its hash matches', async (_name, verifier) => {
    const { code } = await erp.authorized(ana, {}, { code_challenge: pkce(verifier).challenge });
    expectTokenError(await erp.exchange({ code, verifier }), 400, 'invalid_grant');
  });

  test.each(['-._~'.repeat(11), `${'a.b~'.repeat(10)}xyz`])(
    'may contain the punctuation that RFC 7636 allows: %s',
    async (verifier) => {
      const { code } = await erp.authorized(ana, {}, { code_challenge: pkce(verifier).challenge });
      expect((await erp.exchange({ code, verifier })).status).toBe(200);
    },
  );

  test('that is malformed gets an error that states the format', async () => {
    const verifier = `${'a'.repeat(43)}+`;
    const { code } = await erp.authorized(ana, {}, { code_challenge: pkce(verifier).challenge });
    const { body } = await erp.exchange({ code, verifier });
    expect(body.error_description).toBe(
      'code_verifier must be 43 to 128 characters: letters, digits, hyphen, full stop, underscore and tilde',
    );
  });

  test.each([43, 128])('of %i characters is accepted', async (length) => {
    const verifier = 'a'.repeat(length);
    const { code } = await erp.authorized(ana, {}, { code_challenge: pkce(verifier).challenge });
    expect((await erp.exchange({ code, verifier })).status).toBe(200);
  });

  test('of another request, or the challenge itself, is rejected', async () => {
    const { code, verifier } = await erp.authorized(ana);
    expectTokenError(await erp.exchange({ code, verifier: pkce().verifier }), 400, 'invalid_grant');
    expectTokenError(await erp.exchange({ code, verifier: pkce(verifier).challenge }), 400, 'invalid_grant');
  });
});
