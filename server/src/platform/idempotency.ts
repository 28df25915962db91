import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from './clock.js';
import type { Seal, SealedFor } from './crypto/seal.js';
import type { Database, Transaction, Tx } from './db.js';
import type { Transactions } from './db-pool.js';
import { ApiError, badRequest } from './errors.js';
import { mediaTypeOf } from './json-body.js';
import { sql } from './sql.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Open while a request with an Idempotency-Key runs: its change, its events and its answer are one commit. */
    keyed: KeyedRequest | null;
  }
}

interface KeyedRequest {
  tx: Transaction;
  key: string;
  requestHash: Buffer;
}

interface Owner {
  workspaceId: string;
  clientId: string;
}

const KEPT_MS = 24 * 60 * 60 * 1000;
const MAX_KEY = 255;
const WRITES = new Set(['POST', 'PATCH', 'PUT', 'DELETE']);
const NOT_KEPT = new Set([401, 403, 429]);

/** Runs a write: in the keyed request's transaction if there is one, else in its own. */
export function transact<T>(
  request: FastifyRequest,
  db: Transactions,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return request.keyed ? work(request.keyed.tx) : db.transaction(work);
}

/** The same for a write that is a single statement and needs no BEGIN. */
export function execute<T>(request: FastifyRequest, db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return work(request.keyed?.tx ?? db.autocommit);
}

/**
 * Same key and same request: the stored answer. `open` stands before anything that judges the request, so that a
 * refusal is replayed as well. While the first request runs it holds an advisory lock, which the database drops by
 * itself if the process dies: no key stays "running" for ever.
 */
export function keepIdempotencyKeys(
  app: FastifyInstance,
  connectionsOf: (request: FastifyRequest) => Transactions,
  clock: Clock,
  seal: Seal,
  ownerOf: (request: FastifyRequest) => Owner,
) {
  app.decorateRequest('keyed', null);

  app.addHook('onRoute', (route) => {
    if (![route.method].flat().some((method) => WRITES.has(method))) return;
    route.preValidation = [openKeyed, ...[route.preValidation ?? []].flat()];
    route.onSend = [closeKeyed, ...[route.onSend ?? []].flat()];
  });

  // Both with a callback: most requests carry no key and should not wait for a promise.
  function openKeyed(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    const key = request.headers['idempotency-key'];
    if (key === undefined) {
      done();
      return;
    }
    if (typeof key !== 'string' || key.length === 0 || key.length > MAX_KEY) {
      done(badRequest(`Idempotency-Key must have 1 to ${MAX_KEY} characters`, 'invalid_parameter'));
      return;
    }
    open(request, reply, key).then((replayed) => {
      if (!replayed) done();
    }, done);
  }

  function closeKeyed(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: Error | null, payload?: unknown) => void,
  ): void {
    const { keyed } = request;
    if (!keyed) {
      done(null, payload);
      return;
    }
    request.keyed = null;
    close(keyed, ownerOf(request), reply.statusCode, payload).then(() => done(null, payload), done);
  }

  async function close(keyed: KeyedRequest, owner: Owner, status: number, payload: unknown): Promise<void> {
    const { tx } = keyed;
    try {
      if (status >= 500 || NOT_KEPT.has(status)) {
        await tx.rollback();
        return;
      }
      if (status >= 400) await tx.query(sql`rollback to savepoint work`);
      await keep(tx, keyed, owner, status, String(payload ?? ''));
      await tx.commit();
    } catch (error) {
      await tx.rollback();
      throw error;
    }
  }

  async function open(
    request: FastifyRequest,
    reply: FastifyReply,
    key: string,
  ): Promise<FastifyReply | undefined> {
    const { workspaceId, clientId } = ownerOf(request);
    const requestHash = hashOf(request);
    const tx = await connectionsOf(request).begin();
    try {
      const [lock] = await tx.query<{ ours: boolean }>(
        sql`select pg_try_advisory_xact_lock(hashtextextended(${`key ${workspaceId} ${clientId} ${key}`}, 0)) as ours`,
      );
      if (!lock?.ours) throw stillRunning();
      // A statement of its own: only a snapshot taken after the lock sees what its last holder committed.
      const [stored] = await tx.query<{ same: boolean; status: number; body: Buffer }>(sql`
        select request_hash = ${requestHash} as same, status, body from idempotency_keys
        where workspace_id = ${workspaceId} and client_id = ${clientId} and key = ${key}
          and created_at > ${new Date(clock.now() - KEPT_MS).toISOString()}`);
      if (stored) {
        await tx.rollback();
        if (!stored.same) throw otherRequest();
        return reply
          .code(stored.status)
          .header('Idempotent-Replayed', 'true')
          .type('application/json; charset=utf-8')
          .send(seal.open(stored.body, sealedFor({ workspaceId, clientId }, key)));
      }
      await tx.query(sql`savepoint work`);
      request.keyed = { tx, key, requestHash };
      return undefined;
    } catch (error) {
      await tx.rollback();
      throw error;
    }
  }

  function keep(tx: Tx, { key, requestHash }: KeyedRequest, owner: Owner, status: number, body: string) {
    return tx.query(sql`
      insert into idempotency_keys (workspace_id, client_id, key, request_hash, status, body, created_at)
      values (${owner.workspaceId}, ${owner.clientId}, ${key}, ${requestHash}, ${status}, ${seal.close(body, sealedFor(owner, key))},
              ${new Date(clock.now()).toISOString()})
      on conflict (workspace_id, client_id, key) do update
        set request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
            created_at = excluded.created_at`);
  }
}

export async function purgeIdempotencyKeys(db: Database, clock: Clock): Promise<void> {
  const before = new Date(clock.now() - KEPT_MS).toISOString();
  await db.autocommit.query(sql`delete from idempotency_keys where created_at <= ${before}`);
}

function sealedFor({ workspaceId, clientId }: Owner, key: string): SealedFor {
  return { purpose: 'idempotent answer', workspaceId, id: `${clientId} ${key}` };
}

/** With the media type: a body that was refused for it is another request once it is sent as JSON. */
function hashOf(request: FastifyRequest): Buffer {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const head = Buffer.from(`${request.method} ${request.url}\n${mediaTypeOf(request) ?? ''}\n`);
  return hash('sha256', Buffer.concat([head, body]), 'buffer');
}

function stillRunning(): ApiError {
  return new ApiError(
    409,
    'idempotency_key_in_use',
    'The first request with this Idempotency-Key is still running; ask again in a moment',
    {
      headers: { 'Retry-After': '1' },
    },
  );
}

function otherRequest(): ApiError {
  return new ApiError(
    422,
    'idempotency_key_reused',
    'This Idempotency-Key was used for another request; use a new key for a new request',
    {
      details: [
        { field: 'Idempotency-Key', message: 'was used for another request within the last 24 hours' },
      ],
    },
  );
}
