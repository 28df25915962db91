import type { Clock } from './clock.js';
import type { TokenSource } from './options.js';

export interface TokenSet {
  accessToken: string;
  refreshToken: string;
  /** An RFC 3339 time. */
  expiresAt: string;
  /** The scopes, separated by spaces. */
  scope: string;
}

/** Stores the tokens of each connected store. Encrypt them, because a refresh token grants access like a password. */
export interface TokenStore {
  get(workspaceId: string): Promise<TokenSet | undefined>;
  /** Must not resolve before the tokens are stored durably. */
  set(workspaceId: string, tokens: TokenSet): Promise<void>;
  /** Runs `work` while nothing else, in this or another process, runs under the lock of the same store. */
  lock<T>(workspaceId: string, work: () => Promise<T>): Promise<T>;
}

/** Stores tokens in memory, for tests and scripts. They are lost when the process ends. */
export class MemoryTokens implements TokenStore {
  private readonly sets = new Map<string, TokenSet>();
  private readonly locks = new Map<string, Promise<unknown>>();

  async get(workspaceId: string): Promise<TokenSet | undefined> {
    return this.sets.get(workspaceId);
  }

  async set(workspaceId: string, tokens: TokenSet): Promise<void> {
    this.sets.set(workspaceId, tokens);
  }

  lock<T>(workspaceId: string, work: () => Promise<T>): Promise<T> {
    const result = (this.locks.get(workspaceId) ?? Promise.resolve()).then(work);
    this.locks.set(
      workspaceId,
      result.catch(() => {}),
    );
    return result;
  }
}

/** A token that expires this soon is renewed before it is used. */
const EARLY_MS = 60_000;

/**
 * The access token of one store, renewed before it expires. There is only one refresh, however many calls wait for it.
 * Within a process the calls share a promise. Across processes they use the lock of the store. Under the lock the
 * tokens are read again, because another process may have renewed them.
 */
export class RenewedTokens implements TokenSource {
  private current: TokenSet | undefined;
  private renewing: Promise<TokenSet> | undefined;

  constructor(
    private readonly store: TokenStore,
    private readonly workspaceId: string,
    private readonly refresh: (tokens: TokenSet | undefined) => Promise<TokenSet>,
    private readonly clock: Clock,
  ) {}

  async accessToken(refused?: string): Promise<string> {
    this.current ??= await this.store.get(this.workspaceId);
    if (this.isUsable(this.current, refused)) return this.current.accessToken;
    this.renewing ??= this.renew(refused).finally(() => {
      this.renewing = undefined;
    });
    return (await this.renewing).accessToken;
  }

  private renew(refused: string | undefined): Promise<TokenSet> {
    return this.store.lock(this.workspaceId, async () => {
      const saved = await this.store.get(this.workspaceId);
      if (this.isUsable(saved, refused)) {
        this.current = saved;
        return saved;
      }
      const renewed = await this.refresh(saved);
      // Save the new tokens before any caller gets them, because the old refresh token is now invalid.
      await this.store.set(this.workspaceId, renewed);
      this.current = renewed;
      return renewed;
    });
  }

  private isUsable(tokens: TokenSet | undefined, refused: string | undefined): tokens is TokenSet {
    if (!tokens || tokens.accessToken === refused) return false;
    return Date.parse(tokens.expiresAt) - EARLY_MS > this.clock.now();
  }
}
