import type { Clock } from '../clock.js';
import { FeiraError } from '../errors.js';
import { connectionError } from '../failures.js';
import { base64url } from '../hmac.js';
import { backoffMs, LONGEST_WAIT_MS, retryAfterMs, shouldRetry } from '../retry.js';
import type { TokenSet } from '../tokens.js';
import type { TokenResponse } from '../types.js';

interface Options {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  fetch?: typeof fetch;
}

const TIMEOUT_MS = 30_000;
const MAX_ATTEMPTS = 5;

/** Calls POST /api/oauth/token. */
export class TokenEndpoint {
  constructor(
    private readonly options: Options,
    private readonly clock: Clock,
  ) {}

  /** Exchanges a code, which can be used once. If the response is lost, the merchant has to approve again. */
  exchange(code: string, verifier: string): Promise<TokenSet> {
    const { redirectUri } = this.options;
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    };
    return this.post(form, {});
  }

  /**
   * Refreshes the tokens. A refresh token can be used once, but with the same Idempotency-Key the server returns the
   * same new tokens for ten minutes. The key is derived from the token, so even a process that starts after a crash
   * sends the same key.
   */
  async refresh(refreshToken: string): Promise<TokenSet> {
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(refreshToken));
    const key = `refresh-${base64url(new Uint8Array(digest))}`;
    return this.post(
      { grant_type: 'refresh_token', refresh_token: refreshToken },
      { 'idempotency-key': key },
    );
  }

  private async post(form: Record<string, string>, headers: Record<string, string>): Promise<TokenSet> {
    const { baseUrl, clientId, clientSecret, fetch: send = fetch } = this.options;
    const url = `${baseUrl.replace(/\/+$/, '')}/api/oauth/token`;
    const body = new URLSearchParams({ ...form, client_id: clientId, client_secret: clientSecret });
    for (let attempt = 1; ; attempt++) {
      const timeout = AbortSignal.timeout(TIMEOUT_MS);
      let failure: FeiraError;
      let waitMs: number | undefined;
      try {
        const response = await send(url, {
          method: 'POST',
          headers,
          body,
          redirect: 'manual',
          signal: timeout,
        });
        if (response.ok) return this.tokensFrom((await response.json()) as TokenResponse);
        failure = await tokenError(response, attempt);
        if (!shouldRetry(response)) throw failure;
        waitMs = retryAfterMs(response, this.clock.now());
      } catch (error) {
        if (error instanceof FeiraError) throw error;
        failure = connectionError(error, timeout, url, attempt);
      }
      waitMs ??= backoffMs(attempt);
      if (attempt >= MAX_ATTEMPTS || waitMs > LONGEST_WAIT_MS) throw failure;
      await this.clock.sleep(waitMs);
    }
  }

  private tokensFrom(response: TokenResponse): TokenSet {
    return {
      accessToken: response.access_token,
      refreshToken: response.refresh_token,
      expiresAt: new Date(this.clock.now() + response.expires_in * 1_000).toISOString(),
      scope: response.scope,
    };
  }
}

async function tokenError(response: Response, attempts: number): Promise<FeiraError> {
  const body = (await response.json().catch(() => ({}))) as { error?: string; error_description?: string };
  const { status } = response;
  const code = body.error ?? 'invalid_response';
  return new FeiraError(body.error_description ?? `The token endpoint answered with status ${status}`, {
    status,
    code,
    attempts,
    requestId: response.headers.get('x-request-id') ?? undefined,
  });
}
