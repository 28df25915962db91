import { Feira } from './client.js';
import { type Clock, systemClock } from './clock.js';
import { FeiraError, ReconnectNeeded } from './errors.js';
import { AuthorizationStates } from './oauth/states.js';
import { TokenEndpoint } from './oauth/token-endpoint.js';
import type { FeiraOptions } from './options.js';
import { MemoryTokens, RenewedTokens, type TokenSet, type TokenStore } from './tokens.js';
import type { Me } from './types.js';

export { MemoryTokens, type TokenSet, type TokenStore };

export interface FeiraAppOptions {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  /** The redirect URI, exactly as registered for the app. */
  redirectUri: string;
  scopes: (Me['scopes'][number] | (string & {}))[];
  /** Where tokens are stored. Default: in memory. */
  tokens?: TokenStore;
  /** The value of `iss` that the callback must have. Default: baseUrl. */
  issuer?: string;
  /** Settings for the clients that the app creates. */
  client?: Omit<Partial<FeiraOptions>, 'baseUrl' | 'token' | 'fetch' | 'clock' | 'budget'> & {
    /** Returns the budget of a store, so that processes can share the rate limit of that store. */
    budget?: (workspaceId: string) => NonNullable<FeiraOptions['budget']>;
  };
  fetch?: typeof fetch;
  clock?: Clock;
}

export interface Connected {
  workspaceId: string;
  store: Feira;
}

/** Your app. It connects stores by OAuth and creates a client for each of them. */
export class FeiraApp {
  private readonly tokens: TokenStore;
  private readonly clock: Clock;
  private readonly endpoint: TokenEndpoint;
  private readonly states: AuthorizationStates;
  private readonly stores = new Map<string, Feira>();

  constructor(private readonly options: FeiraAppOptions) {
    this.tokens = options.tokens ?? new MemoryTokens();
    this.clock = options.clock ?? systemClock;
    this.endpoint = new TokenEndpoint(options, this.clock);
    this.states = new AuthorizationStates(options.clientSecret, this.clock);
  }

  /**
   * Returns the URL to send the merchant to. `session` is any value that identifies the signed-in user, such as their
   * session id in your system. Pass the same value to `connected`.
   */
  async connect(session: string): Promise<string> {
    if (!session) throw new TypeError('connect() needs the session of the person who connects the store');
    return this.authorizeUrl(await this.states.forSession(session));
  }

  /**
   * Handles the callback: checks state and issuer, and stores the tokens. `callback` is the URL of the request, with or
   * without the host. If the merchant used the link of a ReconnectNeeded error, the state is bound to the store instead
   * of `session`.
   */
  async connected(callback: string | URL, session: string): Promise<Connected> {
    const { searchParams } = new URL(callback, this.options.redirectUri);
    const state = searchParams.get('state') ?? '';
    const reconnects = await this.states.check(state, session);
    this.checkAnswer(searchParams);
    const tokens = await this.endpoint.exchange(
      searchParams.get('code') ?? '',
      await this.states.verifier(state),
    );
    const { workspaceId } = await this.client({ accessToken: async () => tokens.accessToken }).me();
    if (reconnects !== undefined && reconnects !== workspaceId)
      throw refused(
        'other_store',
        `Expected the merchant to reconnect store ${reconnects}, but store ${workspaceId} was chosen`,
      );
    await this.tokens.lock(workspaceId, () => this.tokens.set(workspaceId, tokens));
    // Discard the existing client, which may hold the tokens of the old connection.
    this.stores.delete(workspaceId);
    return { workspaceId, store: this.store(workspaceId) };
  }

  /**
   * Returns the client of a connected store. The same object is returned until the store is connected again, so that
   * all API calls for the store share one rate limit.
   */
  store(workspaceId: string): Feira {
    const known = this.stores.get(workspaceId);
    if (known) return known;
    const refresh = (tokens: TokenSet | undefined) => this.refresh(workspaceId, tokens);
    const source = new RenewedTokens(this.tokens, workspaceId, refresh, this.clock);
    const store = this.client(source, workspaceId);
    this.stores.set(workspaceId, store);
    return store;
  }

  private async refresh(workspaceId: string, tokens: TokenSet | undefined): Promise<TokenSet> {
    try {
      if (tokens) return await this.endpoint.refresh(tokens.refreshToken);
    } catch (error) {
      if (!(error instanceof FeiraError && error.code === 'invalid_grant')) throw error;
      throw new ReconnectNeeded(workspaceId, await this.reconnectUrl(workspaceId), error);
    }
    throw new ReconnectNeeded(workspaceId, await this.reconnectUrl(workspaceId));
  }

  private async reconnectUrl(workspaceId: string): Promise<string> {
    return this.authorizeUrl(await this.states.forStore(workspaceId));
  }

  private async authorizeUrl(state: string): Promise<string> {
    const { baseUrl, clientId, redirectUri, scopes } = this.options;
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      state,
      code_challenge: await this.states.challenge(state),
      code_challenge_method: 'S256',
    });
    return `${withoutSlash(baseUrl)}/oauth/authorize?${query}`;
  }

  private checkAnswer(answer: URLSearchParams): void {
    const { baseUrl, issuer = baseUrl } = this.options;
    const iss = answer.get('iss');
    if (iss === null || withoutSlash(iss) !== withoutSlash(issuer))
      throw refused(
        'invalid_issuer',
        iss === null
          ? `The callback has no parameter iss, expected ${issuer}`
          : `The callback has iss ${iss}, expected ${issuer}. If ${iss} is right, set the option issuer to it`,
      );
    const error = answer.get('error');
    if (error !== null)
      throw refused(error, answer.get('error_description') ?? `The store was not connected: ${error}`);
  }

  private client(token: FeiraOptions['token'], workspaceId?: string): Feira {
    const { baseUrl, client = {}, fetch } = this.options;
    const { budget, ...rest } = client;
    return new Feira({
      ...rest,
      baseUrl,
      token,
      clock: this.clock,
      ...(fetch && { fetch }),
      ...(budget && workspaceId !== undefined && { budget: budget(workspaceId) }),
    });
  }
}

function refused(code: string, message: string): FeiraError {
  return new FeiraError(message, { code });
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
