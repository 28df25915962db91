import type { Clock } from '../platform/clock.js';
import { Batcher } from '../platform/concurrency/batcher.js';
import type { Listener } from '../platform/db/listen.js';
import type { Share } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { type Credential, type CredentialRow, credentialOf, matchesRow, nameOf } from './credential.js';
import { hashOfSecret } from './secrets.js';
import { SuspectNetworks } from './suspect-networks.js';

/** The NOTIFY channel for changes to a credential. */
export const CREDENTIAL_CHANNEL = 'feira_credentials';
/** The maximum age of a cached credential, independent of notifications. */
export const CACHE_MS = 2_000;
/**
 * If a cached credential older than this is used, it is refreshed, together with all other such credentials that are
 * used within the next REFRESH_BATCH_MS.
 */
const REFRESH_AFTER_MS = 1_000;
const REFRESH_BATCH_MS = 100;
const MAX_CACHED = 10_000;
const USE_NOTED_MS = 60_000;

type Lookups = Batcher<string, CredentialRow | undefined>;

interface Use {
  workspaceId: string;
  grantId: string;
}

interface Cached {
  token: string;
  credential: Credential | undefined;
  queriedAt: number;
  isRefreshing: boolean;
}

/**
 * Looks up bearer tokens by primary key and caches their credentials for two seconds, or less if a NOTIFY removes them.
 * Cached credentials in use are refreshed within these two seconds, so an app that keeps calling waits only for its
 * first lookup.
 */
export class Credentials {
  /**
   * The key is the whole Authorization header, because extracting and hashing the token took a tenth of the time of a
   * product read. The price is that a heap dump would expose the tokens of recent calls.
   */
  private readonly cache = new Map<string, Cached>();
  private readonly lookups = new Batcher(3, 8, (tokens: string[]) => this.rowsOf(tokens));
  /**
   * Looks up tokens from networks that send many invalid ones: one statement at a time, for up to 200 tokens. A flood
   * of invalid tokens therefore occupies only one connection and does not delay networks that are not suspect. Tokens
   * from suspect networks are still looked up, because some of them may be valid.
   */
  private readonly suspectLookups = new Batcher(1, 200, (tokens: string[]) => this.rowsOf(tokens), 'never');
  private readonly suspects: SuspectNetworks;
  private readonly uses = new Batcher(2, 12, (uses: Use[]) => this.noteUses(uses));
  private dueForRefresh: Cached[] = [];

  constructor(
    private readonly db: Share,
    private readonly clock: Clock,
    private readonly listener: Listener,
  ) {
    this.suspects = new SuspectNetworks(clock);
    listener.on(CREDENTIAL_CHANNEL, (payload) => this.drop(payload));
    listener.onLoss(() => this.cache.clear());
  }

  /** Returns the cached credential of a header, if it is still valid. */
  remembered(header: string): Credential | undefined {
    const cached = this.cache.get(header);
    if (!cached) return undefined;
    const age = this.clock.monotonic() - cached.queriedAt;
    if (age >= CACHE_MS) return undefined;
    if (age >= REFRESH_AFTER_MS && !cached.isRefreshing) this.scheduleRefresh(cached);
    return this.unexpired(cached.credential);
  }

  /**
   * Returns undefined if the token is unknown, expired or revoked. The credential of a valid token is cached under its
   * header, unless the listener is disconnected or a notification arrives during the lookup.
   */
  async find(header: string, token: string, address: string): Promise<Credential | undefined> {
    const lookups = this.suspects.has(address) ? this.suspectLookups : this.lookups;
    const credential = this.unexpired(await this.lookUp(header, token, lookups));
    if (!credential) this.suspects.noteRefused(address);
    return credential;
  }

  /**
   * Call this after the commit of a revocation, so that it takes effect in this process immediately. The notification
   * arrives slightly later: before this method existed, about half of the calls made right after a revocation were
   * still accepted.
   */
  forget(workspaceId: string, clientId: string): void {
    this.drop(nameOf(workspaceId, clientId));
  }

  private unexpired(credential: Credential | undefined): Credential | undefined {
    return credential && credential.expiresAt > this.clock.now() ? credential : undefined;
  }

  private async lookUp(header: string, token: string, lookups: Lookups): Promise<Credential | undefined> {
    const queriedAt = this.clock.monotonic();
    // The entry is added before the query. If a notification arrives while the query is running, it removes the entry,
    // so a result that may be outdated is not cached.
    const entry: Cached = {
      token,
      credential: undefined,
      queriedAt: Number.NEGATIVE_INFINITY,
      isRefreshing: false,
    };
    const known = this.cache.get(header)?.credential;
    const trusted = this.listener.alive;
    if (trusted) this.remember(header, entry);
    const row = await lookups.submit(token);
    if (!row) {
      this.cache.delete(header);
      return undefined;
    }
    entry.credential = known;
    return this.keep(entry, row, queriedAt);
  }

  private scheduleRefresh(entry: Cached): void {
    if (this.dueForRefresh.length === 0) setTimeout(() => void this.refresh(), REFRESH_BATCH_MS).unref();
    entry.isRefreshing = true;
    this.dueForRefresh.push(entry);
  }

  /** Refreshes entries in use. If an entry is removed from the cache meanwhile, updating it has no effect. */
  private async refresh(): Promise<void> {
    const entries = this.dueForRefresh;
    this.dueForRefresh = [];
    const queriedAt = this.clock.monotonic();
    // If the refresh fails, the next use of an entry tries again. Once the entry has expired, its token is looked up.
    const rows = await this.rowsOf(entries.map(({ token }) => token)).catch(() => undefined);
    entries.forEach((entry, index) => {
      entry.isRefreshing = false;
      const row = rows?.[index];
      if (row) this.keep(entry, row, queriedAt);
      else if (rows) entry.queriedAt = Number.NEGATIVE_INFINITY;
    });
  }

  private keep(entry: Cached, row: CredentialRow, queriedAt: number): Credential {
    this.recordUse(row);
    // The object is reused if nothing changed, because a new one for every refresh caused most of the garbage
    // collection.
    if (!entry.credential || !matchesRow(entry.credential, row)) entry.credential = credentialOf(row);
    entry.queriedAt = queriedAt;
    return entry.credential;
  }

  private async rowsOf(tokens: string[]): Promise<(CredentialRow | undefined)[]> {
    const found: (CredentialRow | undefined)[] = tokens.map(() => undefined);
    const rows = await this.db.query<CredentialRow & { n: number }>(sql`
      select requested.n, g.workspace_id, g.id as grant_id, g.client_id, coalesce(t.scopes, g.scopes) as scopes, g.last_used_at,
        t.expires_at, b.per_minute
      from unnest((select ${tokens.map(hashOfSecret)}::bytea[])) with ordinality as requested(token_hash, n)
      join oauth_access_tokens t on t.token_hash = requested.token_hash
      join oauth_grants g on g.workspace_id = t.workspace_id and g.id = t.grant_id
      left join budgets b on b.workspace_id = g.workspace_id and b.client_id = g.client_id
      where g.revoked_at is null`);
    for (const row of rows) found[row.n - 1] = row;
    return found;
  }

  /**
   * Records the time of a grant's last use in the background, at most once a minute. The merchant sees this time, but
   * nothing depends on it, so a lost update does no harm.
   */
  private recordUse({ workspace_id, grant_id, last_used_at }: CredentialRow): void {
    const now = this.clock.now();
    if (last_used_at !== null && now - Date.parse(last_used_at) < USE_NOTED_MS) return;
    this.uses.submit({ workspaceId: workspace_id, grantId: grant_id }).catch(() => {});
  }

  private async noteUses(uses: Use[]): Promise<undefined[]> {
    const now = this.clock.now();
    // Locked rows are skipped, so that this statement never waits while it holds locks that a revocation may need.
    await this.db.autocommit.query(sql`
      with used as materialized (
        select g.workspace_id, g.id
        from unnest((select ${uses.map(({ workspaceId }) => workspaceId)}::uuid[]),
          (select ${uses.map(({ grantId }) => grantId)}::uuid[])) as requested(workspace_id, id)
        join oauth_grants g on g.workspace_id = requested.workspace_id and g.id = requested.id
        where g.last_used_at is null or g.last_used_at <= ${new Date(now - USE_NOTED_MS).toISOString()}
        for update of g skip locked
      )
      update oauth_grants g set last_used_at = ${new Date(now).toISOString()}
      from used where g.workspace_id = used.workspace_id and g.id = used.id`);
    return uses.map(() => undefined);
  }

  private remember(header: string, entry: Cached): void {
    this.cache.delete(header);
    this.cache.set(header, entry);
    if (this.cache.size > MAX_CACHED) this.cache.delete(this.cache.keys().next().value as string);
  }

  private drop(payload: string): void {
    for (const [key, { credential }] of this.cache) {
      // An entry without a result is removed too, because its query may have started before the change was committed.
      if (!credential || credential.name === payload) this.cache.delete(key);
    }
  }
}
