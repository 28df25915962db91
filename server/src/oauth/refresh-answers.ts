import { hash } from 'node:crypto';
import type { Clock } from '../platform/clock.js';
import type { Seal, SealedFor } from '../platform/crypto/seal.js';
import { deleteInBatches } from '../platform/db/delete-in-batches.js';
import type { Share, Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import type { TokenResponse } from './tokens.js';

const KEPT_MS = 10 * 60 * 1000;

/** Identifies a refresh that the client may repeat: the refresh token it used, and its Idempotency-Key. */
interface KeyedRefresh {
  workspaceId: string;
  tokenHash: Buffer;
  key: string;
}

/** A stored response and the scope that was requested. A repeated request must have the same scope. */
interface RefreshAnswer {
  scope: string | undefined;
  tokens: TokenResponse;
}

/**
 * A refresh token can be used only once, so a client that loses the response would have to ask the merchant for access
 * again. A client that sent an Idempotency-Key can repeat the request for ten minutes and gets the same token pair. All
 * other tables store only hashes of tokens. Here the pair is encrypted, bound to its row, and deleted after the ten
 * minutes.
 */
export class RefreshAnswers {
  constructor(
    private readonly seal: Seal,
    private readonly clock: Clock,
  ) {}

  /** Call this in the transaction that invalidates the refresh token. */
  async keep(tx: Tx, refresh: KeyedRefresh, answer: RefreshAnswer): Promise<void> {
    const sealed = this.seal.close(JSON.stringify(answer), sealedFor(refresh));
    const expiresAt = new Date(this.clock.now() + KEPT_MS).toISOString();
    await tx.query(sql`
      insert into oauth_refresh_answers (token_hash, key_hash, sealed, expires_at)
      values (${refresh.tokenHash}, ${keyHash(refresh)}, ${sealed}, ${expiresAt})`);
  }

  async find(tx: Tx, refresh: KeyedRefresh): Promise<RefreshAnswer | undefined> {
    const [found] = await tx.query<{ sealed: Buffer }>(sql`
      select sealed from oauth_refresh_answers
      where token_hash = ${refresh.tokenHash} and key_hash = ${keyHash(refresh)}
        and expires_at > ${new Date(this.clock.now()).toISOString()}`);
    return found && (JSON.parse(this.seal.open(found.sealed, sealedFor(refresh))) as RefreshAnswer);
  }
}

export async function purgeRefreshAnswers(db: Share, clock: Clock): Promise<void> {
  const now = new Date(clock.now()).toISOString();
  await deleteInBatches(db, 'oauth_refresh_answers', sql`expires_at <= ${now}`);
}

function keyHash({ key }: KeyedRefresh): Buffer {
  return hash('sha256', key, 'buffer');
}

function sealedFor({ workspaceId, tokenHash }: KeyedRefresh): SealedFor {
  return { purpose: 'refresh answer', workspaceId, id: tokenHash.toString('hex') };
}
