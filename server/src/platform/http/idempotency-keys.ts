import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.js';
import type { Seal, SealedFor } from '../crypto/seal.js';
import { deleteInBatches } from '../db/delete-in-batches.js';
import type { Share, Transaction, Tx } from '../db/share.js';
import { sql } from '../db/sql.js';
import { unpackAnswer } from './stored-answer.js';

/** One use of a key: who uses it, and for which request. */
export interface KeyUse {
  workspaceId: string;
  clientId: string;
  key: string;
  requestHash: Buffer;
}

export interface StoredAnswer {
  isSameRequest: boolean;
  status: number;
  /** Undefined if the response was too large to be stored. A replay then reads the resource again. */
  body: string | undefined;
}

/**
 * `free`: the key is unused. `running`: the first request with it has not been answered yet, or another request is
 * looking it up at the same time.
 */
type KeyState = { state: 'free' } | { state: 'running' } | { state: 'answered'; answer: StoredAnswer };

export const MAX_IDEMPOTENCY_KEY = 255;

export function isIdempotencyKey(header: string | string[]): header is string {
  return typeof header === 'string' && header.length > 0 && header.length <= MAX_IDEMPOTENCY_KEY;
}

const KEPT_MS = 24 * 60 * 60 * 1000;
/**
 * How long a reservation is valid: longer than any single wait of a call, such as for file storage or for its turn to
 * verify an image (at most 60 s each). If a process dies, the keys that it has reserved can be used again after this
 * time.
 */
const LEASE_MS = 120_000;

/**
 * The idempotency keys and the responses stored for them. A request that runs within one transaction marks its key as
 * running with an advisory lock, which the database releases if the process dies. A request that waits for something
 * other than the database must not keep a transaction open, so it reserves the key with a lease instead.
 */
export class IdempotencyKeys {
  constructor(
    private readonly clock: Clock,
    private readonly seal: Seal,
  ) {}

  /** Locks the key until the transaction ends, unless another transaction has locked it. Returns its state. */
  async lock(tx: Tx, use: KeyUse): Promise<KeyState> {
    const { workspaceId, clientId, key, requestHash } = use;
    const [lock] = await tx.query<{ ours: boolean }>(
      sql`select pg_try_advisory_xact_lock(hashtextextended(${`key ${workspaceId} ${clientId} ${key}`}, 0)) as ours`,
    );
    if (!lock?.ours) return { state: 'running' };
    // This is a separate statement because only a snapshot taken after the lock sees what the previous holder
    // committed.
    const [found] = await tx.query<{
      same: boolean | null;
      status: number;
      body: Buffer;
      reserved: boolean;
    }>(sql`
      select k.request_hash = ${requestHash} as same, k.status, k.body,
        exists (select from idempotency_reservations r where r.workspace_id = ${workspaceId}
                and r.client_id = ${clientId} and r.key = ${key} and r.until > ${this.time()}) as reserved
      from (values (1)) one left join idempotency_keys k
        on k.workspace_id = ${workspaceId} and k.client_id = ${clientId} and k.key = ${key}
        and k.created_at > ${this.time(-KEPT_MS)}`);
    if (found && found.same !== null) {
      const { same, status, body } = found;
      return {
        state: 'answered',
        answer: {
          isSameRequest: same,
          status,
          body: await unpackAnswer(this.seal.open(body, sealedFor(use))),
        },
      };
    }
    return { state: found?.reserved ? 'running' : 'free' };
  }

  /** Keeps a locked key reserved after the transaction ends. Returns the token that identifies the reservation. */
  async reserve(tx: Tx, { workspaceId, clientId, key }: KeyUse): Promise<string> {
    const token = randomUUID();
    await tx.query(sql`
      insert into idempotency_reservations (workspace_id, client_id, key, token, until)
      values (${workspaceId}, ${clientId}, ${key}, ${token}, ${this.time(LEASE_MS)})
      on conflict (workspace_id, client_id, key) do update set token = excluded.token, until = excluded.until`);
    return token;
  }

  /** Ends a reservation. Returns false if it has expired and was removed, or another request has replaced it. */
  async release(tx: Tx, { workspaceId, clientId, key }: KeyUse, token: string): Promise<boolean> {
    const released = await tx.query(sql`
      delete from idempotency_reservations
      where workspace_id = ${workspaceId} and client_id = ${clientId} and key = ${key} and token = ${token}
      returning 1`);
    return released.length > 0;
  }

  /** `answer` is the result of packAnswer. */
  async keep(tx: Transaction, use: KeyUse, status: number, answer: string): Promise<void> {
    await tx.query(sql`
      insert into idempotency_keys (workspace_id, client_id, key, request_hash, status, body, created_at)
      values (${use.workspaceId}, ${use.clientId}, ${use.key}, ${use.requestHash}, ${status}, ${this.seal.close(answer, sealedFor(use))},
              ${this.time()})
      on conflict (workspace_id, client_id, key) do update
        set request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
            created_at = excluded.created_at`);
  }

  private time(differenceMs = 0): string {
    return new Date(this.clock.now() + differenceMs).toISOString();
  }
}

function sealedFor({ workspaceId, clientId, key }: KeyUse): SealedFor {
  return { purpose: 'idempotent answer', workspaceId, id: `${clientId} ${key}` };
}

export async function purgeIdempotencyKeys(db: Share, clock: Clock): Promise<void> {
  const now = clock.now();
  await deleteInBatches(db, 'idempotency_keys', sql`created_at <= ${new Date(now - KEPT_MS).toISOString()}`);
  await deleteInBatches(db, 'idempotency_reservations', sql`until <= ${new Date(now).toISOString()}`);
}
