import { DEFAULT_PER_MINUTE, type Spender } from '../platform/budgets/budgets.js';
import type { Clock } from '../platform/clock.js';
import { Batcher } from '../platform/db/batcher.js';
import type { Listener } from '../platform/db/listen.js';
import type { Share } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import type { Scope } from './scopes.js';
import { hashOfSecret } from './secrets.js';
import { SuspectNetworks } from './suspect-networks.js';

/** Who is calling: one app, for one store, with what the merchant granted. */
export interface Credential extends Spender {
  scopes: ReadonlySet<Scope>;
  expiresAt: number;
  /** As fields of a log line. */
  logged: string;
}

/** What `NOTIFY` carries when something about a store's credential with an app changed. */
export const CREDENTIAL_CHANNEL = 'feira_credentials';
/** No process acts on an older answer of the database than this, whatever happens to notifications. */
export const CACHED_MS = 2_000;
/** One that is used at this age is asked for anew while its answer still counts, and with it all others of a moment. */
const RENEWED_MS = 1_000;
const MOMENT_MS = 100;
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
  askedAt: number;
  isAgeing: boolean;
}

/**
 * The bearer check: one look-up by primary key, remembered for at most two seconds or until a NOTIFY drops it. What is in
 * use is renewed before that, so that only a first call waits for its look-up.
 */
export class Credentials {
  /**
   * By the whole Authorization header: to take the token out of it and to hash it, as the database knows it, cost a tenth
   * of what a product read costs here. A dump of the heap would show those of the last calls.
   */
  private readonly cache = new Map<string, Cached>();
  private readonly asks = new Batcher(3, 8, (tokens: string[]) => this.rowsOf(tokens));
  /**
   * The lookups of networks that send many refused tokens: one statement at a time for up to 200 tokens, so that a flood
   * costs the database one busy statement and delays no other network. They are looked up and not refused unseen, because
   * valid tokens may come from the same network.
   */
  private readonly suspectAsks = new Batcher(1, 200, (tokens: string[]) => this.rowsOf(tokens), 'never');
  private readonly suspects: SuspectNetworks;
  private readonly uses = new Batcher(2, 12, (uses: Use[]) => this.noteUses(uses));
  private ageing: Cached[] = [];

  constructor(
    private readonly db: Share,
    private readonly clock: Clock,
    private readonly listener: Listener,
  ) {
    this.suspects = new SuspectNetworks(clock);
    listener.on(CREDENTIAL_CHANNEL, (payload) => this.drop(payload));
    listener.onLoss(() => this.cache.clear());
  }

  /** Of a header that was sent before and whose answer still counts. */
  remembered(header: string): Credential | undefined {
    const cached = this.cache.get(header);
    if (!cached) return undefined;
    const age = this.clock.monotonic() - cached.askedAt;
    if (age >= CACHED_MS) return undefined;
    if (age >= RENEWED_MS && !cached.isAgeing) this.renewSoon(cached);
    return this.unexpired(cached.credential);
  }

  /** Undefined for a token that is unknown, expired or revoked. A valid one is cached under the header it came in. */
  async find(header: string, token: string, address: string): Promise<Credential | undefined> {
    const asks = this.suspects.has(address) ? this.suspectAsks : this.asks;
    const credential = this.unexpired(await this.ask(header, token, asks));
    if (!credential) this.suspects.noteRefused(address);
    return credential;
  }

  /**
   * Whoever revoked something calls this after the commit: in this process it is dead from here on. The notification
   * comes round a moment later (a call right after a disconnect still passed in one of two tries), for the others.
   */
  forget(workspaceId: string, clientId: string): void {
    this.drop(nameOf(workspaceId, clientId));
  }

  private unexpired(credential: Credential | undefined): Credential | undefined {
    return credential && credential.expiresAt > this.clock.now() ? credential : undefined;
  }

  private async ask(header: string, token: string, asks: Lookups): Promise<Credential | undefined> {
    const askedAt = this.clock.monotonic();
    // Put in place before the question is asked: a notification that arrives while it runs removes it, and then the
    // answer, which may be the old one, is not kept.
    const entry: Cached = {
      token,
      credential: undefined,
      askedAt: Number.NEGATIVE_INFINITY,
      isAgeing: false,
    };
    const known = this.cache.get(header)?.credential;
    const trusted = this.listener.alive;
    if (trusted) this.remember(header, entry);
    const row = await asks.submit(token);
    if (!row) {
      this.cache.delete(header);
      return undefined;
    }
    entry.credential = known;
    return this.keep(entry, row, askedAt);
  }

  private renewSoon(entry: Cached): void {
    if (this.ageing.length === 0) setTimeout(() => void this.renew(), MOMENT_MS).unref();
    entry.isAgeing = true;
    this.ageing.push(entry);
  }

  /** An entry that is dropped meanwhile is not in the cache any more, so what is kept in it is never looked at. */
  private async renew(): Promise<void> {
    const entries = this.ageing;
    this.ageing = [];
    const askedAt = this.clock.monotonic();
    // What fails grows too old, and is then asked for by the call that needs it.
    const rows = await this.rowsOf(entries.map(({ token }) => token)).catch(() => undefined);
    entries.forEach((entry, index) => {
      entry.isAgeing = false;
      const row = rows?.[index];
      if (row) this.keep(entry, row, askedAt);
      else if (rows) entry.askedAt = Number.NEGATIVE_INFINITY;
    });
  }

  private keep(entry: Cached, row: CredentialRow, askedAt: number): Credential {
    this.noteUse(row);
    // The same object for the same answer: a new one every two seconds was most of what the heap had to be cleaned of.
    if (!entry.credential || !tells(entry.credential, row)) entry.credential = credentialOf(row);
    entry.askedAt = askedAt;
    return entry.credential;
  }

  private async rowsOf(tokens: string[]): Promise<(CredentialRow | undefined)[]> {
    const found: (CredentialRow | undefined)[] = tokens.map(() => undefined);
    const rows = await this.db.query<CredentialRow & { n: number }>(sql`
      select asked.n, g.workspace_id, g.id as grant_id, g.client_id, coalesce(t.scopes, g.scopes) as scopes, g.last_used_at,
        t.expires_at, b.per_minute
      from unnest((select ${tokens.map(hashOfSecret)}::bytea[])) with ordinality as asked(token_hash, n)
      join oauth_access_tokens t on t.token_hash = asked.token_hash
      join oauth_grants g on g.workspace_id = t.workspace_id and g.id = t.grant_id
      left join budgets b on b.workspace_id = g.workspace_id and b.client_id = g.client_id
      where g.revoked_at is null`);
    for (const row of rows) found[row.n - 1] = row;
    return found;
  }

  /** To the minute, and without waiting: the merchant is shown it, nobody decides by it, so a lost note does no harm. */
  private noteUse({ workspace_id, grant_id, last_used_at }: CredentialRow): void {
    const now = this.clock.now();
    if (last_used_at !== null && now - Date.parse(last_used_at) < USE_NOTED_MS) return;
    this.uses.submit({ workspaceId: workspace_id, grantId: grant_id }).catch(() => {});
  }

  private async noteUses(uses: Use[]): Promise<undefined[]> {
    const now = this.clock.now();
    // What is locked is passed over: a merchant who disconnects an app must not wait for a note.
    await this.db.autocommit.query(sql`
      with used as materialized (
        select g.workspace_id, g.id
        from unnest((select ${uses.map(({ workspaceId }) => workspaceId)}::uuid[]),
          (select ${uses.map(({ grantId }) => grantId)}::uuid[])) as asked(workspace_id, id)
        join oauth_grants g on g.workspace_id = asked.workspace_id and g.id = asked.id
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
      // An entry without an answer yet is dropped too: its question may have been asked before the change.
      if (!credential || credential.name === payload) this.cache.delete(key);
    }
  }
}

function credentialOf({
  workspace_id,
  client_id,
  scopes,
  expires_at,
  per_minute,
}: CredentialRow): Credential {
  return {
    workspaceId: workspace_id,
    clientId: client_id,
    name: nameOf(workspace_id, client_id),
    logged: `"workspaceId":"${workspace_id}","clientId":${JSON.stringify(client_id)}`,
    scopes: new Set(scopes),
    expiresAt: Date.parse(expires_at),
    perMinute: per_minute ?? DEFAULT_PER_MINUTE,
  };
}

/** Whether a credential says what the row says. */
function tells(credential: Credential, { scopes, expires_at, per_minute }: CredentialRow): boolean {
  return (
    credential.perMinute === (per_minute ?? DEFAULT_PER_MINUTE) &&
    credential.expiresAt === Date.parse(expires_at) &&
    credential.scopes.size === scopes.length &&
    scopes.every((scope) => credential.scopes.has(scope))
  );
}

function nameOf(workspaceId: string, clientId: string): string {
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
