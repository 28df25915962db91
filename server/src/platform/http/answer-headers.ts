import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const ONE_YEAR_SECONDS = 31_536_000;

/** Returns the security headers that all responses have in common. */
export function safetyHeaders(publicUrl: string): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    // Browsers ignore Strict-Transport-Security over http, so it is sent only if the public address uses https.
    ...(publicUrl.startsWith('https:') && { 'strict-transport-security': `max-age=${ONE_YEAR_SECONDS}` }),
  };
}

export function sendSafetyHeaders(app: FastifyInstance, publicUrl: string): void {
  const headers = Object.entries(safetyHeaders(publicUrl));
  app.addHook('onRequest', (_request, reply, done) => {
    for (const [name, value] of headers) reply.header(name, value);
    done();
  });
}

/**
 * Sets Cache-Control to no-store, because API responses contain the data of a store. Routes with an ETag replace this
 * header.
 */
export function forbidStoring(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.header('cache-control', 'no-store');
  done();
}
