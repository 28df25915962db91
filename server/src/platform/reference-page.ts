import { hash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** The reference at /docs, from files of ours alone: nothing is loaded from or told to another host. */
export async function serveReference(app: FastifyInstance): Promise<void> {
  // Imported here: it costs 200 ms, which commands that serve nothing should not pay.
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  await app.register(async (scope) => {
    scope.addHook('onSend', async (_request, reply, payload) => {
      if (!String(reply.getHeader('content-type')).startsWith('text/html')) return payload;
      const html = await textOf(payload);
      reply.removeHeader('content-length');
      reply.headers({
        'Content-Security-Policy': policyFor(html),
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
      });
      return html;
    });
    await scope.register(scalar, {
      routePrefix: '/docs',
      configuration: {
        title: 'Feira Partner API',
        pageTitle: 'Feira Partner API',
        authentication: { preferredSecurityScheme: 'token' },
        defaultOpenAllTags: true,
        url: '/openapi.json',
        withDefaultFonts: false,
        telemetry: false,
        hideClientButton: true,
        showDeveloperTools: 'never',
        agent: { disabled: true },
      } as never,
    });
  });
}

/** Inline scripts run only if they are the ones in this very page. */
function policyFor(html: string): string {
  const hashes = [...html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)]
    .map((match) => match[1] as string)
    .filter((script) => script !== '')
    .map((script) => `'sha256-${hash('sha256', script, 'base64')}'`);
  return [
    "default-src 'self'",
    `script-src 'self' ${hashes.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

async function textOf(payload: unknown): Promise<string> {
  if (typeof payload === 'string') return payload;
  if (Buffer.isBuffer(payload)) return payload.toString('utf8');
  const chunks: Buffer[] = [];
  for await (const chunk of payload as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
