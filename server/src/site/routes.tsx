import type { FastifyPluginAsync } from 'fastify';
import type { ReadCatalogue } from '../docs/catalogue.js';
import type { FindDemo } from '../docs/demo.js';
import { type Language, languageOf } from '../platform/html/language.js';
import { sendPage } from '../platform/html/page.js';
import { LandingPage } from './pages/landing.js';

export interface SiteOptions {
  publicUrl: string;
  readCatalogue: ReadCatalogue;
  demo: FindDemo;
}

/** The landing page, and the files that search engines request. */
export const siteRoutes: FastifyPluginAsync<SiteOptions> = async (
  app,
  { publicUrl, readCatalogue, demo },
) => {
  const hidden = { schema: { hide: true } };

  app.get<{ Querystring: { lang?: unknown } }>('/', hidden, (request, reply) => {
    const language = asLanguage(request.query.lang) ?? languageOf(request.headers['accept-language']);
    reply.headers({ 'Cache-Control': 'public, max-age=300', Vary: 'Accept-Language' });
    return sendPage(reply, <LandingPage language={language} publicUrl={publicUrl} demoSlug={demo()?.slug} />);
  });

  app.get('/robots.txt', hidden, (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .header('Cache-Control', 'public, max-age=3600')
      .send(robots(publicUrl)),
  );

  app.get('/sitemap.xml', hidden, async (_request, reply) => {
    const paths = (await readCatalogue()).paths();
    return reply
      .type('application/xml; charset=utf-8')
      .header('Cache-Control', 'public, max-age=3600')
      .send(sitemap(['/', ...paths].map((path) => publicUrl + path)));
  });
};

function asLanguage(value: unknown): Language | undefined {
  return value === 'en' || value === 'pt' ? value : undefined;
}

/** Returns robots.txt. Pages behind a sign-in and the steps of a purchase should not be crawled. */
function robots(publicUrl: string): string {
  const closed = [
    '/api/',
    '/docs/search',
    '/oauth/',
    '/console',
    '/partners',
    '/sign-in',
    '/sandbox/',
    '/s/*/cart',
    '/s/*/checkout',
    '/s/*/orders/',
  ];
  return `User-agent: *\n${closed.map((path) => `Disallow: ${path}`).join('\n')}\n\nSitemap: ${publicUrl}/sitemap.xml\n`;
}

/** Returns the sitemap. All addresses are our own and contain nothing that must be escaped in XML. */
function sitemap(addresses: string[]): string {
  const entries = addresses.map((address) => `  <url><loc>${address}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('\n')}\n</urlset>\n`;
}
