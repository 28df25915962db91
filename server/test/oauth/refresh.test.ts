import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { type Feira, openFeira } from '../support/feira.js';
import { type Integrator, openErp } from '../support/integrator.js';
import type { Merchant } from '../support/merchant.js';

const HOUR = 60 * 60 * 1000;
const GRANTED = 'products:read orders:read';

let feira: Feira;
let ana: Merchant;
let erp: Integrator;

beforeAll(async () => {
  feira = await openFeira();
  ({ ana, erp } = await openErp(feira));
});
afterAll(() => feira.close());

const scopesOf = async (accessToken: string) => (await erp.me(accessToken)).body.scopes;

async function statusOf(accessToken: string, path: string): Promise<number> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return (await feira.app.inject({ url: `/api/v1${path}`, headers })).statusCode;
}

describe('a refresh with a scope parameter', () => {
  test('narrows the new access token to the requested scopes', async () => {
    const { refresh_token } = await erp.connected(ana);
    const narrowed = await erp.refresh(refresh_token, { scope: 'orders:read' });
    expect([narrowed.status, narrowed.body.scope]).toEqual([200, 'orders:read']);
    expect(await scopesOf(narrowed.body.access_token)).toEqual(['orders:read']);
    expect(await statusOf(narrowed.body.access_token, '/orders')).toBe(200);
    expect(await statusOf(narrowed.body.access_token, '/products')).toBe(403);
  });

  test('leaves older access tokens and the grant as they were', async () => {
    const first = await erp.connected(ana);
    const narrowed = (await erp.refresh(first.refresh_token, { scope: 'orders:read' })).body;
    expect(await scopesOf(first.access_token)).toEqual(GRANTED.split(' '));
    const whole = await erp.refresh(narrowed.refresh_token);
    expect(whole.body.scope).toBe(GRANTED);
    expect(await scopesOf(whole.body.access_token)).toEqual(GRANTED.split(' '));
    const other = await erp.refresh(whole.body.refresh_token, { scope: 'products:read' });
    expect(await scopesOf(other.body.access_token)).toEqual(['products:read']);
  });

  test.each(['products:write', `${GRANTED} stock:write`, 'fly', 'orders:read\0', ' '])(
    'of %j, which is not a list of granted scopes, returns invalid_scope and leaves the refresh token unused',
    async (scope) => {
      const { refresh_token } = await erp.connected(ana);
      const refused = await erp.refresh(refresh_token, { scope });
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_scope']);
      expect((await erp.refresh(refresh_token, { scope: `orders:read ${GRANTED}` })).body.scope).toBe(
        GRANTED,
      );
    },
  );

  test('checks the refresh token first: an unknown or used one returns invalid_grant whatever the scope', async () => {
    expect((await erp.refresh('unknown', { scope: 'fly' })).body.error).toBe('invalid_grant');
    const { refresh_token } = await erp.connected(ana);
    await erp.refresh(refresh_token);
    expect((await erp.refresh(refresh_token, { scope: 'fly' })).body.error).toBe('invalid_grant');
  });
});

describe('the refreshes of one grant', () => {
  test('are limited to 600 per hour; a further one returns 429 and its refresh token stays valid', async () => {
    const first = await erp.connected(ana);
    const other = await erp.connected(ana);
    const { refresh_token } = (await erp.refresh(first.refresh_token)).body;
    await feira.context.db.store('test').autocommit.query(
      sql`update oauth_grants set refreshes = 600 where refreshes = 1 and refreshes_since is not null
          and id = (select id from oauth_grants where refreshes = 1 order by refreshes_since desc limit 1)`,
    );
    const refused = await erp.refresh(refresh_token);
    expect([refused.status, refused.body.error]).toEqual([429, 'temporarily_unavailable']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(3_600);
    expect((await erp.refresh(other.refresh_token)).status).toBe(200);
    feira.clock.forward(HOUR);
    expect((await erp.refresh(refresh_token)).status).toBe(200);
  });
});
