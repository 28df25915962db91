import { createApp } from '../../../src/oauth/apps.js';
import { setBudget } from '../../../src/oauth/budget.js';
import { createGrant, issueTokens } from '../../../src/oauth/tokens.js';
import { systemClock } from '../../../src/platform/clock.js';
import type { Database } from '../../../src/platform/db/database.js';
import { createStore } from '../../../src/stores/stores.js';

const SCOPES = [
  'products:read',
  'products:write',
  'stock:write',
  'media:write',
  'orders:read',
  'orders:write',
  'webhooks:manage',
] as const;

/** The timeout only stops a call that hangs. A busy machine may take seconds to respond. */
export const CALL_MS = 30_000;

export interface FleetStore {
  workspaceId: string;
  slug: string;
  token: string;
}

export interface CallOptions {
  api?: string | undefined;
  key?: string | undefined;
}

/** Creates a store with an app whose rate limit is never reached. */
export async function createFleetStore(db: Database): Promise<FleetStore> {
  const owner = { ownerEmail: 'owner@store.example', ownerPassword: 'correct horse' };
  const { workspaceId, slug } = await db
    .store('test')
    .transaction((tx) => createStore(tx, { name: 'Store', ...owner }));
  const app = { name: 'ERP', redirectUris: ['https://erp.example/cb'] };
  const { clientId } = await createApp(db.store('test').autocommit, app);
  await setBudget(db.store('test').autocommit, workspaceId, clientId, 1_000_000);
  const scopes = [...SCOPES];
  const { access_token: token } = await db.store('test').transaction(async (tx) => {
    const grantId = await createGrant(tx, { workspaceId, clientId, userId: null, scopes });
    return issueTokens(tx, systemClock, workspaceId, grantId, scopes);
  });
  return { workspaceId, slug, token };
}

export function callApi(
  api: string,
  store: FleetStore,
  method: string,
  path: string,
  body?: object,
  key?: string,
): Promise<Response> {
  return fetch(`${api}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${store.token}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(key && { 'idempotency-key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(CALL_MS),
  });
}
