import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Share, StoreAccess, Transaction, Tx } from '../db/share.js';
import type { Statement } from '../db/sql.js';
import { Type } from '../schema/type.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The access to the caller's store in a dry run, otherwise null. All writes through it are rolled back. */
    dryRun: DryRun | null;
  }
}

/** A route with this query parameter supports dry runs. Its handler must write only through `request.store`. */
export const dryRunParameter = {
  dryRun: Type.Optional(
    Type.Boolean({
      description:
        'true: validates the call and returns the same response as a real call, with X-Dry-Run: true, but stores and emits nothing. An Idempotency-Key is neither looked up nor stored.',
      default: false,
    }),
  ),
};
export const DryRunQuery = Type.Object(dryRunParameter);

/** The steps of a route with `dryRun`: `begin` runs before the query is checked, `end` when the response is known. */
export function dryRunSteps(app: FastifyInstance, storeOf: (request: FastifyRequest) => Share) {
  app.decorateRequest('dryRun', null);
  return { begin, end };

  // Both steps use callbacks, because most requests are not dry runs and should not wait for a promise.
  function begin(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    if ((request.query as { dryRun?: unknown }).dryRun === 'true') {
      request.dryRun = new DryRun(storeOf(request));
      reply.header('x-dry-run', 'true');
    }
    done();
  }

  function end(
    { dryRun }: FastifyRequest,
    _reply: FastifyReply,
    payload: unknown,
    done: (error: Error | null, payload?: unknown) => void,
  ): void {
    if (dryRun) dryRun.rollback().then(() => done(null, payload), done);
    else done(null, payload);
  }
}

/**
 * Returns whether the query has `dryRun` with a value other than `false`. A call that is later rejected because of that
 * value (`dryRun=yes`), or because it does not support dry runs, must not use up an idempotency key.
 */
export function isDryRun({ query }: FastifyRequest): boolean {
  const { dryRun } = query as { dryRun?: unknown };
  return dryRun !== undefined && dryRun !== 'false';
}

export function hasDryRun({ schema }: RouteOptions): boolean {
  const { properties = {} } = (schema?.querystring ?? {}) as { properties?: object };
  return 'dryRun' in properties;
}

/** All writes are in one transaction, which is rolled back once the response is known. */
class DryRun implements StoreAccess {
  readonly autocommit: Tx = {
    writes: true,
    query: async (statement) => (await this.open()).query(statement),
    last: (send) => send(),
  };
  private opening: Promise<Transaction> | undefined;

  constructor(private readonly store: Share) {}

  query<R>(statement: Statement): Promise<R[]> {
    return this.store.query<R>(statement);
  }

  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return work(await this.open());
  }

  async rollback(): Promise<void> {
    const tx = await this.opening?.catch(() => undefined);
    await tx?.rollback();
  }

  private open(): Promise<Transaction> {
    this.opening ??= this.store.begin();
    return this.opening;
  }
}
