import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Share, StoreAccess } from '../db/share.js';
import { isDryRun } from './dry-run.js';
import { badRequest } from './errors.js';
import {
  type IdempotencyKeys,
  isIdempotencyKey,
  MAX_IDEMPOTENCY_KEY,
  type StoredAnswer,
} from './idempotency-keys.js';
import { mediaTypeOf } from './json-body.js';
import { KeyedRequest, lockKey, reserveKey } from './keyed-request.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether the call waits for something other than the database, such as a payment gateway or a webhook receiver.
     * If so, its Idempotency-Key is reserved until the response is stored, instead of being locked by an open
     * transaction.
     */
    waitsOutside?: boolean;
    /**
     * Reads the resource again and returns it as the response to a repeated request, if the original response was too
     * large to store.
     */
    readAgain?: (request: FastifyRequest) => Promise<string | Buffer | object>;
  }
  interface FastifyRequest {
    /**
     * Reads and writes data of the caller's store. With an Idempotency-Key, writes are committed together with the
     * stored response. In a dry run, they are rolled back.
     */
    store: StoreAccess;
    keyed: KeyedRequest | null;
  }
}

const NOT_STORED = new Set([401, 403]);

interface Options {
  keys: IdempotencyKeys;
  storeOf(request: FastifyRequest): Share;
  /** Returns separate database access for reserving keys, so that reserving does not wait behind the store's calls. */
  keysOf(request: FastifyRequest): Share;
  ownerOf(request: FastifyRequest): { workspaceId: string; clientId: string };
}

/**
 * The steps of a write with an Idempotency-Key. A repeated request with the same key gets the stored response. `open`
 * looks up the key before the request is validated, so that validation errors are replayed as well; `close` stores the
 * response and commits, or rolls back if the response must not be replayed.
 */
export function idempotencySteps(app: FastifyInstance, { keys, storeOf, keysOf, ownerOf }: Options) {
  app.decorateRequest('keyed', null);
  app.decorateRequest('store', {
    getter(this: FastifyRequest) {
      return this.dryRun ?? this.keyed ?? storeOf(this);
    },
  });

  return { open: openKeyed, close: closeKeyed };

  // Both steps use callbacks, because most requests have no key and should not wait for a promise.
  function openKeyed(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    const key = request.headers['idempotency-key'];
    if (key === undefined) {
      done();
      return;
    }
    if (!isIdempotencyKey(key)) {
      done(
        badRequest(`Idempotency-Key must have 1 to ${MAX_IDEMPOTENCY_KEY} characters`, 'invalid_parameter'),
      );
      return;
    }
    if (isDryRun(request)) {
      done();
      return;
    }
    const use = { ...ownerOf(request), key, requestHash: hashOf(request) };
    const opening = request.routeOptions.config.waitsOutside
      ? reserveKey(keys, storeOf(request), keysOf(request), use)
      : lockKey(keys, storeOf(request), use);
    opening.then((opened) => {
      if (opened instanceof KeyedRequest) {
        request.keyed = opened;
        done();
      } else replay(request, reply, opened).catch(done);
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
    const canReadAgain = reply.request.routeOptions.config.readAgain !== undefined;
    const isStored = !NOT_STORED.has(reply.statusCode) && reply.getHeader('x-should-retry') !== 'true';
    const closing = isStored ? keyed.close(reply.statusCode, payload, canReadAgain) : keyed.abandon();
    closing.then(() => done(null, payload), done);
  }
}

async function replay(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, body }: StoredAnswer,
): Promise<void> {
  reply.header('Idempotent-Replayed', 'true');
  // Errors that are worth retrying are never stored.
  if (status >= 400) reply.header('x-should-retry', 'false');
  const answer = body ?? (await request.routeOptions.config.readAgain?.(request));
  reply.code(status).type('application/json; charset=utf-8').send(answer);
}

/**
 * The hash includes the media type and If-Match. If a request was rejected because of one of them and is sent again
 * with another value, it counts as another request and gets a 422 (idempotency_key_reused), not the stored rejection.
 */
function hashOf(request: FastifyRequest): Buffer {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const head = Buffer.from(
    `${request.method} ${request.url}\n${mediaTypeOf(request) ?? ''}\n${ifMatchLine(request)}`,
  );
  return hash('sha256', Buffer.concat([head, body]), 'buffer');
}

function ifMatchLine({ headers, routeOptions }: FastifyRequest): string {
  const ifMatch = routeOptions.config.ifMatch ? headers['if-match'] : undefined;
  return ifMatch === undefined ? '' : `${ifMatch}\n`;
}
