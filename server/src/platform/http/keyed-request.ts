import type { Share, StoreAccess, Transaction, Tx } from '../db/share.js';
import { type Statement, sql } from '../db/sql.js';
import { ApiError } from './errors.js';
import type { IdempotencyKeys, KeyUse, StoredAnswer } from './idempotency-keys.js';
import { packAnswer } from './stored-answer.js';

/**
 * The access to the store for a request with an idempotency key. All writes are in one transaction, which stays open
 * until the response is known.
 */
export class KeyedRequest implements StoreAccess {
  readonly autocommit: Tx = {
    writes: true,
    query: async (statement) => (await this.open()).query(statement),
    last: (send) => send(),
  };
  private opening: Promise<Transaction> | undefined;

  constructor(
    private readonly keys: IdempotencyKeys,
    private readonly store: Share,
    private readonly use: KeyUse,
    /**
     * Either the transaction that has locked the key, or the token of the key's reservation and the Share that was used
     * to reserve the key. With a reservation, the first write begins a transaction.
     */
    private readonly held: { tx: Transaction } | { reservation: string; in: Share },
  ) {
    if ('tx' in held) this.keepOpening(markStart(held.tx));
  }

  query<R>(statement: Statement): Promise<R[]> {
    return this.store.query<R>(statement);
  }

  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return work(await this.open());
  }

  /** Rolls everything back and releases the key, for a response that must not be replayed. */
  async abandon(): Promise<void> {
    await this.rollback();
    // If the key cannot be released now, its reservation expires later.
    if ('reservation' in this.held)
      await this.keys.release(this.held.in.autocommit, this.use, this.held.reservation).catch(() => {});
  }

  async close(status: number, payload: unknown, canReadAgain: boolean): Promise<void> {
    try {
      const tx = await (this.opening ?? this.keepOpening(this.closingTransaction()));
      if (status >= 400) await tx.query(sql`rollback to savepoint work`);
      if ('reservation' in this.held && !(await this.keys.release(tx, this.use, this.held.reservation)))
        throw stillRunning();
      await this.keys.keep(tx, this.use, status, await packAnswer(String(payload ?? ''), canReadAgain));
      await tx.commit();
    } catch (error) {
      await this.rollback();
      throw error;
    }
  }

  private async rollback(): Promise<void> {
    if ('tx' in this.held) await this.held.tx.rollback();
    else
      await this.opening?.then(
        (tx) => tx.rollback(),
        () => {},
      );
  }

  /** Returns the transaction in which to store the response of a request that has written nothing. */
  private closingTransaction(): Promise<Transaction> {
    const share = 'in' in this.held ? this.held.in : this.store;
    return share.begin().then(markStart);
  }

  private open(): Promise<Transaction> {
    return this.opening ?? this.keepOpening(this.store.begin().then(markStart));
  }

  private keepOpening(opening: Promise<Transaction>): Promise<Transaction> {
    // The promise may be awaited late, or never if the request is abandoned. Its rejection must not end the process.
    opening.catch(() => {});
    this.opening = opening;
    return opening;
  }
}

/** Locks the key in a transaction that stays open until the response is known, or returns the stored response. */
export async function lockKey(
  keys: IdempotencyKeys,
  store: Share,
  use: KeyUse,
): Promise<KeyedRequest | StoredAnswer> {
  const tx = await store.begin();
  try {
    const stored = await lockOrFind(keys, tx, use);
    if (!stored) return new KeyedRequest(keys, store, use, { tx });
    await tx.rollback();
    return stored;
  } catch (error) {
    await tx.rollback();
    throw error;
  }
}

/** Reserves the key in a separate transaction, so that nothing is locked while the call waits for another service. */
export function reserveKey(
  keys: IdempotencyKeys,
  store: Share,
  share: Share,
  use: KeyUse,
): Promise<KeyedRequest | StoredAnswer> {
  return share.transaction(async (tx) => {
    const stored = await lockOrFind(keys, tx, use);
    if (stored) return stored;
    return new KeyedRequest(keys, store, use, { reservation: await keys.reserve(tx, use), in: share });
  });
}

async function lockOrFind(keys: IdempotencyKeys, tx: Tx, use: KeyUse): Promise<StoredAnswer | undefined> {
  const found = await keys.lock(tx, use);
  if (found.state === 'running') throw stillRunning();
  if (found.state === 'free') return undefined;
  if (!found.answer.isSameRequest) throw otherRequest();
  return found.answer;
}

/** A rejected request is rolled back to this savepoint, and its response is stored in the same transaction. */
async function markStart(tx: Transaction): Promise<Transaction> {
  try {
    await tx.query(sql`savepoint work`);
    return tx;
  } catch (error) {
    await tx.rollback();
    throw error;
  }
}

function stillRunning(): ApiError {
  return new ApiError(
    409,
    'idempotency_key_in_use',
    'The first request with this Idempotency-Key is still running. Retry in a second.',
    { headers: { 'Retry-After': '1' } },
  );
}

function otherRequest(): ApiError {
  return new ApiError(
    422,
    'idempotency_key_reused',
    'This Idempotency-Key was used for another request. Use a new key for a new request.',
    {
      details: [
        { field: 'Idempotency-Key', message: 'was used for another request within the last 24 hours' },
      ],
    },
  );
}
