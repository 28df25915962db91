import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { purgeRefreshAnswers } from '../../src/oauth/refresh-answers.js';
import { hashOfSecret } from '../../src/oauth/secrets.js';
import type { TokenResponse } from '../../src/oauth/tokens.js';
import { sql } from '../../src/platform/db/sql.js';
import { type Answer, type Feira, openFeira } from '../support/feira.js';
import { Integrator, openErp, registerApp } from '../support/integrator.js';
import type { Merchant } from '../support/merchant.js';
import { until } from '../support/process.js';

const MINUTE = 60_000;
const KEY = 'refresh of the night';

let feira: Feira;
let ana: Merchant;
let erp: Integrator;
let first: TokenResponse;

beforeAll(async () => {
  feira = await openFeira();
  ({ ana, erp } = await openErp(feira));
});
afterAll(() => feira.close());
beforeEach(async () => {
  first = await erp.connected(ana);
});

/** Sends a refresh, with an Idempotency-Key if `key` is defined. */
function refresh(refreshToken: string, key?: string, fields: Record<string, string> = {}): Promise<Answer> {
  const body = {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    ...erp.bodyCredentials(),
    ...fields,
  };
  return erp.token(body, key === undefined ? {} : { 'idempotency-key': key });
}

/** Expects that the refresh token family (all refresh tokens of a grant) is revoked: even `newest` is invalid. */
async function expectFamilyEnded(newest: string): Promise<void> {
  const { status, body } = await refresh(newest);
  expect([status, body.error]).toEqual([400, 'invalid_grant']);
}

function expectInvalidGrant({ status, body }: Answer): void {
  expect([status, body.error]).toEqual([400, 'invalid_grant']);
}

const rows = () =>
  feira.context.db
    .store('test')
    .query<{ sealed: Buffer; key_hash: Buffer }>(sql`select sealed, key_hash from oauth_refresh_answers`);

describe('a refresh with an Idempotency-Key', () => {
  test('returns the same pair of tokens when it is repeated within ten minutes', async () => {
    const answer = await refresh(first.refresh_token, KEY);
    expect(answer.status).toBe(200);
    feira.clock.forward(9 * MINUTE);
    const again = await refresh(first.refresh_token, KEY);
    expect([again.status, again.body]).toEqual([200, answer.body]);
    expect((await erp.me(again.body.access_token)).status).toBe(200);
    expect((await refresh(again.body.refresh_token)).status).toBe(200);
  });

  test('returns invalid_grant when it is repeated after ten minutes, and revokes the refresh token family', async () => {
    const answer = await refresh(first.refresh_token, KEY);
    feira.clock.forward(10 * MINUTE);
    expectInvalidGrant(await refresh(first.refresh_token, KEY));
    await expectFamilyEnded(answer.body.refresh_token);
  });

  test.each([
    ['without the key', undefined],
    ['with another key', 'another'],
  ])(
    'returns invalid_grant when it is repeated %s, and revokes the refresh token family',
    async (_how, key) => {
      const answer = await refresh(first.refresh_token, KEY);
      expectInvalidGrant(await refresh(first.refresh_token, key));
      await expectFamilyEnded(answer.body.refresh_token);
      // Even the correct key no longer returns the tokens.
      expectInvalidGrant(await refresh(first.refresh_token, KEY));
    },
  );

  test('returns invalid_grant when another app repeats it, and does not revoke the refresh token family', async () => {
    const answer = await refresh(first.refresh_token, KEY);
    const other = await registerApp(feira);
    const credentials = { client_id: other.clientId, client_secret: other.clientSecret };
    expectInvalidGrant(await refresh(first.refresh_token, KEY, credentials));
    expect((await refresh(answer.body.refresh_token)).status).toBe(200);
  });

  test('returns invalid_grant when it is repeated after the app has revoked the authorization', async () => {
    const answer = await refresh(first.refresh_token, KEY);
    await erp.revoke(answer.body.refresh_token);
    expectInvalidGrant(await refresh(first.refresh_token, KEY));
  });

  test('uses the key for its refresh token only: the next refresh may have the same key', async () => {
    const second = await refresh(first.refresh_token, KEY);
    const third = await refresh(second.body.refresh_token, KEY);
    expect(third.status).toBe(200);
    expect(third.body.refresh_token).not.toBe(second.body.refresh_token);
  });

  test('returns invalid_request when it is repeated without its scope, and can still be repeated with its scope', async () => {
    const answer = await refresh(first.refresh_token, KEY, { scope: 'orders:read' });
    const other = await refresh(first.refresh_token, KEY);
    expect([other.status, other.body.error]).toEqual([400, 'invalid_request']);
    const same = await refresh(first.refresh_token, KEY, { scope: 'orders:read' });
    expect(same.body).toEqual(answer.body);
  });

  test('returns invalid_scope if the scope is invalid, and leaves the refresh token unused', async () => {
    expect((await refresh(first.refresh_token, KEY, { scope: 'fly' })).body.error).toBe('invalid_scope');
    expect((await refresh(first.refresh_token, KEY)).status).toBe(200);
  });

  test.each(['', 'x'.repeat(256)])(
    'returns invalid_request when the key is empty or too long',
    async (key) => {
      const answer = await refresh(first.refresh_token, key);
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
      expect((await refresh(first.refresh_token)).status).toBe(200);
    },
  );

  test('returns the same pair of tokens each time when it is sent 100 times concurrently to two servers', async () => {
    const second = await openFeira({ on: feira });
    try {
      const there = new Integrator(second.app, erp.credentials);
      const body = {
        grant_type: 'refresh_token',
        refresh_token: first.refresh_token,
        ...erp.bodyCredentials(),
      };
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, n) => (n % 2 ? erp : there).token(body, { 'idempotency-key': KEY })),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200));
      expect(
        new Set(answers.map(({ body: { access_token, refresh_token } }) => access_token + refresh_token))
          .size,
      ).toBe(1);
    } finally {
      await second.close();
    }
  });

  test('counts once towards the refresh limit, however often it is repeated', async () => {
    for (let n = 0; n < 5; n++) await refresh(first.refresh_token, KEY);
    const [grant] = await feira.context.db.store('test').query<{ refreshes: number }>(sql`
      select refreshes from oauth_grants g join oauth_refresh_tokens t on t.grant_id = g.id
      where t.token_hash = ${hashOfSecret(first.refresh_token)}`);
    expect(grant!.refreshes).toBe(1);
  });

  test('stores the tokens encrypted and the key hashed, and both are purged after ten minutes', async () => {
    const { body } = await refresh(first.refresh_token, KEY);
    const stored = Buffer.concat(
      (await rows()).flatMap(({ sealed, key_hash }) => [sealed, key_hash]),
    ).toString('latin1');
    for (const secret of [body.access_token, body.refresh_token, KEY]) expect(stored).not.toContain(secret);
    feira.clock.forward(10 * MINUTE);
    await purgeRefreshAnswers(feira.context.db.background('test'), feira.clock);
    expect(await rows()).toEqual([]);
  });
});

test('a client whose connection is cut after the server committed its refresh gets the tokens when it repeats the refresh', async () => {
  await feira.app.listen({ port: 0, host: '127.0.0.1' });
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: first.refresh_token,
    ...erp.bodyCredentials(),
  }).toString();
  const socket = connect((feira.app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.pause();
  socket.write(
    `POST /api/oauth/token HTTP/1.1\r\nHost: feira.test\r\nIdempotency-Key: ${KEY}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await until(async () => {
    const [token] = await feira.context.db
      .store('test')
      .query<{ consumed_at: string | null }>(
        sql`select consumed_at from oauth_refresh_tokens where token_hash = ${hashOfSecret(first.refresh_token)}`,
      );
    return token!.consumed_at !== null;
  });
  socket.destroy();
  const again = await refresh(first.refresh_token, KEY);
  expect(again.status).toBe(200);
  expect((await erp.me(again.body.access_token)).status).toBe(200);
  expect((await refresh(first.refresh_token, KEY)).body).toEqual(again.body);
});
