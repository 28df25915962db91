import type {} from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import type { HttpMetrics } from './metrics.js';

/** Throws when a part that this process needs cannot be used now. */
export type ReadinessCheck = () => Promise<void>;

export interface Readiness {
  checks: Record<string, ReadinessCheck>;
  /** True from the moment a stop was asked for: a load balancer should look elsewhere. */
  stopping: boolean;
}

const PATIENCE_MS = 2_000;

export function serveHealth(app: FastifyInstance, readiness: Readiness, metrics: HttpMetrics): void {
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }));

  app.get('/readyz', { schema: { hide: true } }, async (request, reply) => {
    const entries = await Promise.all(
      Object.entries(readiness.checks).map(async ([name, check]) => {
        try {
          await inTime(check);
          return [name, 'ok'];
        } catch (error) {
          request.log.warn({ requestId: request.id, err: error, check: name }, 'not ready');
          return [name, 'unreachable'];
        }
      }),
    );
    const ready = !readiness.stopping && entries.every(([, state]) => state === 'ok');
    const status = readiness.stopping ? 'stopping' : ready ? 'ok' : 'unavailable';
    return reply.code(ready ? 200 : 503).send({ status, checks: Object.fromEntries(entries) });
  });

  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}

/** Fails too when there is no answer before whoever asks would give up. */
export async function inTime(check: ReadinessCheck): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  try {
    await Promise.race([check(), late]);
  } finally {
    clearTimeout(timer);
  }
}
