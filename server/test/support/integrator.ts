import { createHash, randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { expect } from 'vitest';
import { createApp } from '../../src/oauth/apps.js';
import type { TokenResponse } from '../../src/oauth/tokens.js';
import type { Answer, Feira } from './feira.js';
import { answerOf, Merchant, openStore } from './merchant.js';

export const CALLBACK = 'https://erp.example/callback';

export interface RegisteredApp {
  clientId: string;
  clientSecret: string;
}

export function registerApp(
  feira: Feira,
  { name = 'Rápido ERP', redirectUris = [CALLBACK] }: { name?: string; redirectUris?: string[] } = {},
): Promise<RegisteredApp> {
  return createApp(feira.context.db.store('test').autocommit, { name, redirectUris });
}

export function pkce(verifier = randomBytes(32).toString('base64url')): {
  verifier: string;
  challenge: string;
} {
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Returns the parameters of a valid authorization request. Tests replace some of them. */
export function authorizationQuery(
  { clientId }: { clientId: string },
  { challenge }: { challenge: string } = pkce(),
): Record<string, string> {
  return {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    scope: 'products:read orders:read',
    state: 'a state + of/the app?',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  };
}

/** Creates a store and an app. Returns the backend of the app and the browser of the store owner, who is signed in. */
export async function openErp(feira: Feira): Promise<{ ana: Merchant; erp: Integrator }> {
  await openStore(feira);
  const ana = new Merchant(feira.app);
  await ana.signIn();
  return { ana, erp: await Integrator.register(feira) };
}

/** The backend of an integrator. */
export class Integrator {
  constructor(
    private readonly app: FastifyInstance,
    readonly credentials: RegisteredApp,
  ) {}

  /** Registers an app and returns its backend. */
  static async register(feira: Feira, options: { redirectUris?: string[] } = {}): Promise<Integrator> {
    return new Integrator(feira.app, await registerApp(feira, options));
  }

  /** Lets the merchant approve the app, and returns the parameters for the code exchange. */
  async authorized(
    merchant: Merchant,
    choice: { store?: string } = {},
    changes: Record<string, string> = {},
  ): Promise<{ code: string; verifier: string }> {
    const proof = pkce();
    const query = { ...authorizationQuery(this.credentials, proof), ...changes };
    const { code } = answerOf(await merchant.approve(query, choice));
    if (!code) throw new Error('the merchant approved, but the redirect contains no code');
    return { code, verifier: proof.verifier };
  }

  async connected(merchant: Merchant, choice: { store?: string } = {}): Promise<TokenResponse> {
    const answer = await this.exchange(await this.authorized(merchant, choice));
    if (answer.status !== 200) throw new Error(`no tokens: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  exchange(
    { code, verifier }: { code: string; verifier: string },
    changes: Record<string, string> = {},
  ): Promise<Answer> {
    const fields = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: verifier,
    };
    return this.token({ ...fields, ...this.bodyCredentials(), ...changes });
  }

  refresh(refreshToken: string, changes: Record<string, string> = {}): Promise<Answer> {
    const fields = { grant_type: 'refresh_token', refresh_token: refreshToken };
    return this.token({ ...fields, ...this.bodyCredentials(), ...changes });
  }

  revoke(token: string): Promise<Answer> {
    return postForm(this.app, '/api/oauth/revoke', { token, ...this.bodyCredentials() });
  }

  token(fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
    return postForm(this.app, '/api/oauth/token', fields, headers);
  }

  async me(accessToken: string): Promise<Answer> {
    const headers = { authorization: `Bearer ${accessToken}` };
    return answerFrom(await this.app.inject({ url: '/api/v1/me', headers }));
  }

  bodyCredentials(): { client_id: string; client_secret: string } {
    return { client_id: this.credentials.clientId, client_secret: this.credentials.clientSecret };
  }

  basic(secret = this.credentials.clientSecret): { authorization: string } {
    const pair = `${encodeURIComponent(this.credentials.clientId)}:${encodeURIComponent(secret)}`;
    return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  }
}

/** Posts a form. A string is sent unchanged, which allows repeated parameters. */
export async function postForm(
  app: FastifyInstance,
  url: string,
  fields: Record<string, string> | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const payload = typeof fields === 'string' ? fields : new URLSearchParams(fields).toString();
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return answerFrom(await app.inject({ method: 'POST', url, payload, headers: { ...type, ...headers } }));
}

/** Expects an error of the token endpoint in the format of RFC 6749. */
export function expectTokenError(answer: Answer, status: number, error: string): void {
  expect([answer.status, answer.body.error]).toEqual([status, error]);
  expect(answer.body).toEqual({ error, error_description: expect.stringMatching(/^[\x20-\x7e]+$/) });
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.headers['content-type']).toContain('application/json');
}

function answerFrom(response: { statusCode: number; headers: Answer['headers']; body: string }): Answer {
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(response.body) };
}
