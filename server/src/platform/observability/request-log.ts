import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DestinationStream, type Logger, symbols } from 'pino';
import { pathOf } from '../http/answer-errors.js';
import { timeNow } from './log.js';
import type { HttpMetrics } from './metrics.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who called, as fields of a log line; set by whatever authenticates. */
    caller: string | null;
  }
}

/** Every response carries its request id, and leaves one log line and one measurement behind. */
export function logRequests(app: FastifyInstance, metrics: HttpMetrics): void {
  app.decorateRequest('caller', null);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
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
  const log = request.server.log as Logger;
  if (log.isLevelEnabled('info')) streamOf(log).write(lineOf(request, reply));
}

/**
 * The line as pino would write it, for half of what it takes pino: every request pays for one. No field can hold a
 * secret, so nothing is redacted; the path stands without the query, which may hold what nobody should read in a log.
 */
function lineOf(request: FastifyRequest, { statusCode, elapsedTime }: FastifyReply): string {
  const { caller } = request;
  const userAgent = request.headers['user-agent'];
  return `{"level":"info","time":"${timeNow()}","requestId":"${request.id}","method":"${request.method}","path":${JSON.stringify(pathOf(request))},"status":${statusCode},"ms":${Math.round(elapsedTime * 10) / 10}${userAgent === undefined ? '' : `,"userAgent":${JSON.stringify(userAgent)}`}${caller ? `,${caller}` : ''},"msg":"request"}\n`;
}

/** Where pino writes to. */
function streamOf(log: Logger): DestinationStream {
  return (log as unknown as { [symbols.streamSym]: DestinationStream })[symbols.streamSym];
}
