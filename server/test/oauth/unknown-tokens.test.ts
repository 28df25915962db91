import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Credentials } from '../../src/oauth/credentials.js';
import { hashOfSecret, newSecret } from '../../src/oauth/secrets.js';
import { createGrant } from '../../src/oauth/tokens.js';
import type { Share } from '../../src/platform/db/share.js';
import { type Statement, sql } from '../../src/platform/db/sql.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';

const FLOODING = '198.51.100.1';
const ELSEWHERE = '203.0.113.1';

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
});
afterAll(() => feira.close());

async function call(token: string, remoteAddress: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await feira.app.inject({ url: '/api/v1/me', headers, remoteAddress })).statusCode;
}

const flood = (count: number) =>
  Promise.all(Array.from({ length: count }, () => call(newSecret('access'), FLOODING)));

/**
 * Opens a second credential cache on the same database. `flood` looks up random tokens in it, and `most` returns the
 * maximum number of its statements that ran at the same time.
 */
function watchedCredentials(): { flood(count: number): Promise<boolean[]>; most(): number } {
  const { db, clock, listener } = feira.context;
  const share = db.system('watched tokens');
  let running = 0;
  let most = 0;
  const watched: Share = Object.create(share, {
    query: {
      value: async (statement: Statement) => {
        most = Math.max(most, ++running);
        return share.query(statement).finally(() => running--);
      },
    },
  });
  const credentials = new Credentials(watched, clock, listener);
  const isKnown = async (token: string) =>
    (await credentials.find(`Bearer ${token}`, token, FLOODING)) !== undefined;
  return {
    flood: (count) => Promise.all(Array.from({ length: count }, () => isKnown(newSecret('access')))),
    most: () => most,
  };
}

describe('a flood of unknown tokens', () => {
  test('is looked up with one statement at a time after thirty unknown tokens from the same network, until a minute has passed', async () => {
    const before = watchedCredentials();
    expect(await before.flood(100)).toEqual(Array(100).fill(false));
    expect(before.most()).toBeGreaterThan(1);

    const { flood, most } = watchedCredentials();
    for (let refused = 0; refused < 30; refused++) await flood(1);
    expect(await flood(300)).toEqual(Array(300).fill(false));
    expect(most()).toBe(1);
    feira.clock.forward(60_000);
    await flood(100);
    expect(most()).toBeGreaterThan(1);
  });

  test('does not cause valid tokens to be rejected, from the same network or from another', async () => {
    await flood(31);
    const [here, there] = [
      await store.withScopes(['products:read']),
      await store.withScopes(['products:read']),
    ];
    const [refused, fromHere, fromElsewhere] = await Promise.all([
      flood(300),
      call(here.token, FLOODING),
      call(there.token, ELSEWHERE),
    ]);
    expect(refused).toEqual(Array(300).fill(401));
    expect([fromHere, fromElsewhere]).toEqual([200, 200]);
  });

  test('does not affect tokens that are issued later, not even one that was rejected before', async () => {
    await flood(31);
    const token = newSecret('access');
    for (let tries = 0; tries < 3; tries++) expect(await call(token, FLOODING)).toBe(401);
    await feira.context.db.store('test').transaction(async (tx) => {
      const { workspaceId, clientId } = store;
      const grantId = await createGrant(tx, {
        workspaceId,
        clientId,
        userId: null,
        scopes: ['products:read'],
      });
      await tx.query(sql`
        insert into oauth_access_tokens (token_hash, workspace_id, grant_id, expires_at)
        values (${hashOfSecret(token)}, ${workspaceId}, ${grantId}, ${new Date(feira.clock.now() + 60_000).toISOString()})`);
    });
    expect(await call(token, FLOODING)).toBe(200);
  });
});
