import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';

// The plugin of the package would keep the script in memory permanently (14 MB) and add a tenth of a second to each
// start.
const SCRIPT = join(
  dirname(createRequire(import.meta.url).resolve('@scalar/fastify-api-reference')),
  'js/standalone.js',
);

const CONFIGURATION = {
  title: 'Feira Partner API',
  url: '/openapi.json',
  authentication: { preferredSecurityScheme: 'token' },
  defaultOpenAllTags: true,
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
};

const BEGIN = `Scalar.createApiReference('#app', ${JSON.stringify(CONFIGURATION)})`;

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <title>Feira Partner API</title>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
  </head>
  <body>
    <div id="app"></div>
    <script src="js/scalar.js"></script>
    <script>${BEGIN}</script>
  </body>
</html>
`;

const POLICY = [
  "default-src 'self'",
  `script-src 'self' 'sha256-${hash('sha256', BEGIN, 'base64')}'`,
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** The API reference at /docs. It uses only our own files; nothing is loaded from or sent to another host. */
export function serveReference(app: FastifyInstance): void {
  const hidden = { schema: { hide: true } };
  app.get('/docs', hidden, (_request, reply) => reply.redirect('/docs/', 301));
  app.get('/docs/', hidden, (_request, reply) =>
    reply
      .headers({
        'Content-Security-Policy': POLICY,
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
      })
      .type('text/html; charset=utf-8')
      .send(PAGE),
  );
  app.get('/docs/js/scalar.js', hidden, (_request, reply) =>
    reply
      .headers({ 'Cache-Control': 'public, max-age=3600', 'X-Content-Type-Options': 'nosniff' })
      .type('text/javascript; charset=utf-8')
      .send(createReadStream(SCRIPT)),
  );
}
