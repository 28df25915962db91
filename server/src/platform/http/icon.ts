import { readFileSync } from 'node:fs';
import type {} from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';

/** Browsers request /favicon.ico even if a page does not refer to an icon. */
export function serveIcon(app: FastifyInstance): void {
  const icon = readFileSync(new URL('../../../public/icon.svg', import.meta.url));
  app.get('/favicon.ico', { schema: { hide: true } }, (_request, reply) =>
    reply.type('image/svg+xml').header('Cache-Control', 'public, max-age=86400').send(icon),
  );
}
