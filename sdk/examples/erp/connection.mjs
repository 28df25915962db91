import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { FileTokens } from '@feira/sdk/node';
import { FeiraApp } from '@feira/sdk/oauth';
import { FOLDER } from './state.mjs';

const BASE_URL = process.env.FEIRA_URL ?? 'http://localhost:3000';
const SCOPES = [
  'products:read',
  'products:write',
  'stock:write',
  'orders:read',
  'orders:write',
  'shipping:read',
  'shipping:write',
  'webhooks:manage',
];

/** Returns the client of the connected store. If no store is connected yet, asks the merchant to connect one. */
export async function connectStore(state) {
  const { clientId, clientSecret } = credentials();
  const redirectUri = process.env.FEIRA_REDIRECT_URI ?? 'http://localhost:8080/callback';
  const app = new FeiraApp({
    baseUrl: BASE_URL,
    clientId,
    clientSecret,
    redirectUri,
    scopes: SCOPES,
    tokens: new FileTokens(`${FOLDER}/tokens`),
    // With twelve attempts, the connector can wait several minutes for a server that restarts.
    client: { userAgent: 'ExampleERP/1.0', maxAttempts: 12 },
  });
  if (state.data.workspaceId === undefined) {
    state.data.workspaceId = await approval(app, redirectUri);
    state.save();
  }
  const store = app.store(state.data.workspaceId);
  console.log(`Connected to ${(await store.me()).name}`);
  return store;
}

/** Waits until the merchant has approved and the browser has been redirected to `redirectUri`. */
async function approval(app, redirectUri) {
  const session = crypto.randomUUID();
  const server = createServer().listen(Number(new URL(redirectUri).port));
  console.log(`Open this address and approve the app:\n${await app.connect(session)}`);
  for (;;) {
    const [request, response] = await once(server, 'request');
    try {
      const { workspaceId } = await app.connected(request.url, session);
      response.end('The store is connected. You can close this page.');
      server.close();
      return workspaceId;
    } catch (error) {
      console.log(`! ${error.code}: ${error.message}`);
      response.writeHead(400).end(error.message);
    }
  }
}

/** Returns the credentials from the environment, or those of the demo app that the first `npm start` creates. */
function credentials() {
  const { FEIRA_CLIENT_ID: clientId, FEIRA_CLIENT_SECRET: clientSecret, FEIRA_DATA = '.feira' } = process.env;
  if (clientId && clientSecret) return { clientId, clientSecret };
  const demo = `${FEIRA_DATA}/demo.json`;
  if (existsSync(demo)) return JSON.parse(readFileSync(demo, 'utf8'));
  throw new Error(
    `Run npm start first (there is no ${demo}), or set FEIRA_CLIENT_ID and FEIRA_CLIENT_SECRET`,
  );
}
