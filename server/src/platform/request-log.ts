import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pathOf } from './answer-errors.js';
import type { HttpMetrics } from './metrics.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who called, for the log line; set by whatever authenticates. */
    caller: Record<string, string> | null;
  }
}

/** Every response carries its request id, and leaves one log line and one measurement behind. */
export function logRequests(app: FastifyInstance, metrics: HttpMetrics): void {
  app.decorateRequest('caller', null);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    logAnswered(request, reply, metrics);
    done();
  });
}

/** By itself for a request that no route and so no hook sees. */
export function logAnswered(request: FastifyRequest, reply: FastifyReply, metrics: HttpMetrics): void {
  const route = request.routeOptions.url ?? 'unknown';
  metrics.observe(request.method, route, reply.statusCode, reply.elapsedTime);
  // The path without the query: a query may hold what nobody should read in a log.
  linesOf(request.server.log).info(
    {
      requestId: request.id,
      method: request.method,
      path: pathOf(request),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      userAgent: request.headers['user-agent'],
      ...request.caller,
    },
    'request',
  );
}

const lines = new WeakMap<FastifyBaseLogger, FastifyBaseLogger>();

/** Without redaction, which copies each line and costs as much as writing it: no field above can hold a secret. */
function linesOf(log: FastifyBaseLogger): FastifyBaseLogger {
  let unredacted = lines.get(log);
  if (!unredacted) {
    unredacted = log.child({}, { redact: [] });
    lines.set(log, unredacted);
  }
  return unredacted;
}
