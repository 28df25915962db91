import { DEFAULT_PER_MINUTE, type Spender } from '../platform/budgets/budgets.js';
import type { Clock } from '../platform/clock.js';
import type { Database } from '../platform/db.js';
import type { Listener } from '../platform/listen.js';
import { sql } from '../platform/sql.js';
import type { Scope } from './scopes.js';
import { hashOfSecret } from './secrets.js';

/** Who is calling: one app, for one store, with what the merchant granted. */
export interface Credential extends Spender {
  scopes: ReadonlySet<Scope>;
  expiresAt: number;
}

/** What `NOTIFY` carries when something about a store's credential with an app changed. */
export const CREDENTIAL_CHANNEL = 'feira_credentials';
/** No process acts on an older answer of the database than this, whatever happens to notifications. */
export const CACHED_MS = 2_000;
const MAX_CACHED = 10_000;
const USE_NOTED_MS = 60_000;

interface Cached {
  credential: Credential | undefined;
  askedAt: number;
}

/** The bearer check: one look-up by primary key, remembered for at most two seconds or until a NOTIFY drops it. */
export class Credentials {
  private readonly cache = new Map<string, Cached>();

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly listener: Listener,
  ) {
    listener.on(CREDENTIAL_CHANNEL, (payload) => this.drop(payload));
    listener.onLoss(() => this.cache.clear());
  }

  /** Of a token that is unknown, expired or revoked: undefined. */
  async find(token: string): Promise<Credential | undefined> {
    const tokenHash = hashOfSecret(token);
    const cacheKey = tokenHash.toString('latin1');
    const askedAt = this.clock.monotonic();
    const cached = this.cache.get(cacheKey);
    const fresh = cached && askedAt - cached.askedAt < CACHED_MS;
    const credential = fresh ? cached.credential : await this.ask(tokenHash, cacheKey, askedAt);
    return credential && credential.expiresAt > this.clock.now() ? credential : undefined;
  }

  /**
   * Whoever revoked something calls this after the commit: in this process it is dead from here on. The notification
   * comes round a moment later (a call right after a disconnect still passed in one of two tries), for the others.
   */
  forget(workspaceId: string, clientId: string): void {
    this.drop(payloadOf(workspaceId, clientId));
  }

  private async ask(tokenHash: Buffer, cacheKey: string, askedAt: number): Promise<Credential | undefined> {
    // Put in place before the question is asked: a notification that arrives while it runs removes it, and then the
    // answer, which may be the old one, is not kept.
    const entry: Cached = { credential: undefined, askedAt: Number.NEGATIVE_INFINITY };
    const trusted = this.listener.alive;
    if (trusted) this.remember(cacheKey, entry);
    const [row] = await this.db.query<CredentialRow>(sql`
      select g.workspace_id, g.id as grant_id, g.client_id, g.scopes, g.last_used_at, t.expires_at, b.per_minute
      from oauth_access_tokens t
      join oauth_grants g on g.workspace_id = t.workspace_id and g.id = t.grant_id
      left join budgets b on b.workspace_id = g.workspace_id and b.client_id = g.client_id
      where t.token_hash = ${tokenHash} and g.revoked_at is null`);
    if (!row) {
      this.cache.delete(cacheKey);
      return undefined;
    }
    this.noteUse(row);
    entry.credential = {
      workspaceId: row.workspace_id,
      clientId: row.client_id,
      scopes: new Set(row.scopes),
      expiresAt: Date.parse(row.expires_at),
      perMinute: row.per_minute ?? DEFAULT_PER_MINUTE,
    };
    entry.askedAt = askedAt;
    return entry.credential;
  }

  /** To the minute, and without waiting: the merchant is shown it, nobody decides by it, so a lost note does no harm. */
  private noteUse({ workspace_id, grant_id, last_used_at }: CredentialRow): void {
    const now = this.clock.now();
    if (last_used_at !== null && now - Date.parse(last_used_at) < USE_NOTED_MS) return;
    const noted = this.db.autocommit.query(sql`
      update oauth_grants set last_used_at = ${new Date(now).toISOString()}
      where workspace_id = ${workspace_id} and id = ${grant_id}
        and (last_used_at is null or last_used_at <= ${new Date(now - USE_NOTED_MS).toISOString()})`);
    noted.catch(() => {});
  }

  private remember(cacheKey: string, entry: Cached): void {
    this.cache.delete(cacheKey);
    this.cache.set(cacheKey, entry);
    if (this.cache.size > MAX_CACHED) this.cache.delete(this.cache.keys().next().value as string);
  }

  private drop(payload: string): void {
    for (const [key, { credential }] of this.cache) {
      // An entry without an answer yet is dropped too: its question may have been asked before the change.
      if (!credential || payloadOf(credential.workspaceId, credential.clientId) === payload)
        this.cache.delete(key);
    }
  }
}

function payloadOf(workspaceId: string, clientId: string): string {
  return `${workspaceId} ${clientId}`;
}

interface CredentialRow {
  workspace_id: string;
  grant_id: string;
  last_used_at: string | null;
  client_id: string;
  scopes: Scope[];
  expires_at: string;
  per_minute: number | null;
}
