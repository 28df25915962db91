import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const ONE_YEAR_SECONDS = 31_536_000;

/** Adds the security headers that the responses of all routes have in common. */
export function sendSafetyHeaders(app: FastifyInstance, publicUrl: string): void {
  // Browsers ignore Strict-Transport-Security over http, so it is sent only if the public address uses https.
  const transport = publicUrl.startsWith('https:') ? `max-age=${ONE_YEAR_SECONDS}` : undefined;
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff');
    if (transport !== undefined) reply.header('strict-transport-security', transport);
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
