import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGrant, issueCode, issueTokens } from '../../src/oauth/tokens.js';
import { databaseEnv } from '../support/database.js';
import { type Feira, openFeira } from '../support/feira.js';
import { CALLBACK, pkce, type RegisteredApp, registerApp } from '../support/integrator.js';
import { openStore } from '../support/merchant.js';
import { startServer } from '../support/process.js';
import { sized } from '../support/sized.js';

// The tests use two servers on one database. With `npm run test:long` these are separate processes. Otherwise both run
// in this process.
const ROUNDS = sized(2, 10, 'FEIRA_ROUNDS');
const IN_PROCESSES = sized(0, 1) === 1;
const PARALLEL = 100;
const SCOPES = ['products:read'] as const;

let feira: Feira;
let servers: { url: string; stop(): Promise<unknown> }[] = [];
let erp: RegisteredApp;
let workspaceId: string;

beforeAll(async () => {
  feira = await openFeira();
  workspaceId = await openStore(feira);
  erp = await registerApp(feira);
  const start = IN_PROCESSES ? startProcess : listenHere;
  servers = await Promise.all([start(), start()]);
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await feira.close();
});

async function startProcess() {
  const env = databaseEnv(feira.connection, 'a secret of at least thirty-two characters');
  const server = await startServer({ ...env, LOG_LEVEL: 'warn' });
  return { url: server.url, stop: () => server.stop('SIGTERM') };
}

async function listenHere() {
  const other = await openFeira({ on: feira });
  return { url: await other.app.listen({ port: 0, host: '127.0.0.1' }), stop: () => other.close() };
}

const grantIn = () =>
  createGrant(feira.context.db.store('test').autocommit, {
    workspaceId,
    clientId: erp.clientId,
    userId: null,
    scopes: [...SCOPES],
  });

/** Sends the same exchange many times concurrently, half of the requests to each server, and counts each outcome. */
async function race(fields: Record<string, string>): Promise<Record<string, number>> {
  const body = new URLSearchParams({
    client_id: erp.clientId,
    client_secret: erp.clientSecret,
    ...fields,
  }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const outcomes = await Promise.all(
    Array.from({ length: PARALLEL }, async (_, index) => {
      const { url } = servers[index % servers.length]!;
      const response = await fetch(`${url}/api/oauth/token`, { method: 'POST', headers, body });
      const answer = (await response.json()) as { error?: string };
      return `${response.status} ${answer.error ?? 'tokens'}`;
    }),
  );
  return Object.fromEntries(
    [...new Set(outcomes)].map((each) => [each, outcomes.filter((outcome) => outcome === each).length]),
  );
}

describe(`in each of ${ROUNDS} rounds, exactly one of ${PARALLEL} parallel exchanges over two servers succeeds`, () => {
  const once = { '200 tokens': 1, '400 invalid_grant': PARALLEL - 1 };

  test('when all of them send the same code', async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      const { verifier, challenge } = pkce();
      const code = await issueCode(
        feira.context.db.store('test').autocommit,
        feira.context.clock,
        { workspaceId, grantId: await grantIn() },
        { redirectUri: CALLBACK, codeChallenge: challenge },
      );
      const outcomes = await race({
        grant_type: 'authorization_code',
        code,
        redirect_uri: CALLBACK,
        code_verifier: verifier,
      });
      expect({ round, ...outcomes }).toEqual({ round, ...once });
    }
  });

  test('when all of them send the same refresh token', async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      const tokens = await issueTokens(
        feira.context.db.store('test').autocommit,
        feira.context.clock,
        workspaceId,
        await grantIn(),
        [...SCOPES],
      );
      const outcomes = await race({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
      expect({ round, ...outcomes }).toEqual({ round, ...once });
    }
  });
});
