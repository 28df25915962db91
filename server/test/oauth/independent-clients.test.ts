import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Feira, openFeira } from '../support/feira.js';
import { CALLBACK, type RegisteredApp, registerApp } from '../support/integrator.js';
import { Merchant, openStore } from '../support/merchant.js';
import { freePort } from '../support/process.js';

// Two unmodified third-party client libraries use the server over a real socket. Their own checks (issuer, state, iss,
// token type, error formats) are independent of our code. The only check turned off is the one that requires HTTPS.
const SCOPE = 'products:read orders:read';

let feira: Feira;
let erp: RegisteredApp;
let ana: Merchant;
let base: string;

beforeAll(async () => {
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  feira = await openFeira({ publicUrl: base });
  await feira.app.listen({ port, host: '127.0.0.1' });
  await openStore(feira);
  erp = await registerApp(feira);
  ana = new Merchant(feira.app);
  await ana.signIn();
});
afterAll(() => feira.close());

/** Acts as the browser: opens the authorization URL, presses the button and returns the URL of the redirect. */
async function follow(address: URL, button: 'Approve' | 'Deny' = 'Approve'): Promise<URL> {
  expect(address.origin).toBe(base);
  const page = await ana.get(address.pathname + address.search);
  return new URL((await ana.press(page, button)).location!);
}

async function callMe(accessToken: string): Promise<{ status: number; name: string }> {
  const response = await fetch(`${base}/api/v1/me`, { headers: { authorization: `Bearer ${accessToken}` } });
  return { status: response.status, name: ((await response.json()) as { name: string }).name };
}

describe('openid-client', () => {
  const discovered = (auth: client.ClientAuth) =>
    client.discovery(new URL(base), erp.clientId, undefined, auth, {
      algorithm: 'oauth2',
      execute: [client.allowInsecureRequests],
    });

  async function begun(config: client.Configuration) {
    const checks = {
      pkceCodeVerifier: client.randomPKCECodeVerifier(),
      expectedState: client.randomState(),
    };
    const address = client.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: SCOPE,
      state: checks.expectedState,
      code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    return { checks, address };
  }

  test.each([
    ['client_secret_post', (secret: string) => client.ClientSecretPost(secret)],
    ['client_secret_basic', (secret: string) => client.ClientSecretBasic(secret)],
  ])('with %s reads the metadata, gets tokens, calls the API, refreshes and revokes', async (_name, auth) => {
    const config = await discovered(auth(erp.clientSecret));
    expect(config.serverMetadata().supportsPKCE()).toBe(true);
    const { checks, address } = await begun(config);
    const tokens = await client.authorizationCodeGrant(config, await follow(address), checks);
    expect(tokens).toMatchObject({ expires_in: 7200, scope: SCOPE });
    const answer = await client.fetchProtectedResource(
      config,
      tokens.access_token,
      new URL(`${base}/api/v1/me`),
      'GET',
    );
    expect(await answer.json()).toMatchObject({ name: 'Loja da Ana', scopes: SCOPE.split(' ') });

    const renewed = await client.refreshTokenGrant(config, tokens.refresh_token!);
    expect((await callMe(renewed.access_token)).status).toBe(200);
    await expect(client.refreshTokenGrant(config, tokens.refresh_token!)).rejects.toMatchObject({
      status: 400,
      error: 'invalid_grant',
    });

    await client.tokenRevocation(config, renewed.refresh_token!);
    expect((await callMe(renewed.access_token)).status).toBe(401);
  });

  test('reports a denial as access_denied', async () => {
    const config = await discovered(client.ClientSecretPost(erp.clientSecret));
    const { checks, address } = await begun(config);
    await expect(
      client.authorizationCodeGrant(config, await follow(address, 'Deny'), checks),
    ).rejects.toMatchObject({ error: 'access_denied' });
  });

  test.each(['state', 'iss'])('rejects a response whose %s was changed or removed', async (name) => {
    const config = await discovered(client.ClientSecretPost(erp.clientSecret));
    const { checks, address } = await begun(config);
    const answer = await follow(address);
    const changed = new URL(answer);
    changed.searchParams.set(name, 'https://evil.example');
    await expect(client.authorizationCodeGrant(config, changed, checks)).rejects.toThrow();
    changed.searchParams.delete(name);
    await expect(client.authorizationCodeGrant(config, changed, checks)).rejects.toThrow();
    await client.authorizationCodeGrant(config, answer, checks);
  });

  test('reports a wrong secret that was sent in the body or with HTTP Basic', async () => {
    for (const auth of [client.ClientSecretPost('wrong'), client.ClientSecretBasic('wrong')]) {
      const config = await discovered(auth);
      const failure = client.refreshTokenGrant(config, 'unknown');
      await expect(failure).rejects.toSatisfy(
        (error) =>
          (error instanceof client.ResponseBodyError && error.error === 'invalid_client') ||
          error instanceof client.WWWAuthenticateChallengeError,
      );
    }
  });
});

describe('oauth4webapi', () => {
  const http = { [oauth.allowInsecureRequests]: true };

  async function discovered(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(base);
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...http });
    return oauth.processDiscoveryResponse(issuer, response);
  }

  test.each([
    ['client_secret_post', (secret: string) => oauth.ClientSecretPost(secret)],
    ['client_secret_basic', (secret: string) => oauth.ClientSecretBasic(secret)],
  ])(
    'with %s reads the metadata, gets tokens, calls the API, refreshes and revokes',
    async (_name, authOf) => {
      const server = await discovered();
      const app: oauth.Client = { client_id: erp.clientId };
      const auth = authOf(erp.clientSecret);
      const verifier = oauth.generateRandomCodeVerifier();
      const state = oauth.generateRandomState();
      const address = new URL(server.authorization_endpoint!);
      address.search = new URLSearchParams({
        client_id: erp.clientId,
        redirect_uri: CALLBACK,
        response_type: 'code',
        scope: SCOPE,
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }).toString();
      const answer = oauth.validateAuthResponse(server, app, await follow(address), state);

      const exchanged = await oauth.authorizationCodeGrantRequest(
        server,
        app,
        auth,
        answer,
        CALLBACK,
        verifier,
        http,
      );
      const tokens = await oauth.processAuthorizationCodeResponse(server, app, exchanged);
      const called = await oauth.protectedResourceRequest(
        tokens.access_token,
        'GET',
        new URL(`${base}/api/v1/me`),
        undefined,
        undefined,
        http,
      );
      expect(await called.json()).toMatchObject({ name: 'Loja da Ana', app: { clientId: erp.clientId } });

      const renewal = await oauth.refreshTokenGrantRequest(server, app, auth, tokens.refresh_token!, http);
      const renewed = await oauth.processRefreshTokenResponse(server, app, renewal);
      expect(renewed.refresh_token).not.toBe(tokens.refresh_token);

      await oauth.processRevocationResponse(
        await oauth.revocationRequest(server, app, auth, renewed.access_token, http),
      );
      expect((await callMe(renewed.access_token)).status).toBe(401);
      expect((await callMe(tokens.access_token)).status).toBe(200);
    },
  );

  test('reads the challenge of a rejected API call', async () => {
    const refused = oauth.protectedResourceRequest(
      'unknown',
      'GET',
      new URL(`${base}/api/v1/me`),
      undefined,
      undefined,
      http,
    );
    await expect(refused).rejects.toMatchObject({
      status: 401,
      cause: [{ scheme: 'bearer', parameters: { error: 'invalid_token', realm: 'feira' } }],
    });
  });
});

test('the metadata lists the endpoints under the public URL, and what they support', async () => {
  const response = await fetch(`${base}/.well-known/oauth-authorization-server`);
  expect(response.headers.get('content-type')).toContain('application/json');
  const metadata = (await response.json()) as Record<string, unknown>;
  expect(metadata).toMatchObject({
    issuer: base,
    authorization_endpoint: `${base}/oauth/authorize`,
    token_endpoint: `${base}/api/oauth/token`,
    revocation_endpoint: `${base}/api/oauth/revoke`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  });
  expect((metadata.scopes_supported as string[]).length).toBe(11);
});
