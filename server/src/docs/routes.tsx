import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { VNode } from 'preact';
import { contentPolicy } from '../platform/html/content-policy.js';
import { sendPage } from '../platform/html/page.js';
import { compress } from '../platform/http/compress.js';
import type { Catalogue, ReadCatalogue } from './catalogue.js';
import type { FindDemo } from './demo.js';
import { docsMarkdown, llmsText } from './llms.js';
import { ArticlePage } from './pages/article.js';
import { DesignPage } from './pages/design.js';
import {
  ErrorList,
  ErrorPage,
  errorListMarkdown,
  errorMarkdown,
  isErrorCode,
  UnknownCode,
} from './pages/errors.js';
import { HomePage } from './pages/home.js';
import { GroupPage, ReferencePage } from './pages/reference.js';
import { SearchPage } from './pages/search.js';
import { groupMarkdown, overviewMarkdown } from './reference/markdown.js';
import { RenderedPages, sendMarkdown } from './rendered-pages.js';
import { search } from './search.js';

export interface DocsOptions {
  publicUrl: string;
  readCatalogue: ReadCatalogue;
  demo: FindDemo;
}

type Named = { Params: { name: string } };

/** The documentation: guides, reference and error codes, each as a page and as Markdown. */
export const docsRoutes: FastifyPluginAsync<DocsOptions> = async (app, options) => {
  const { publicUrl, readCatalogue, demo } = options;
  const hidden = { schema: { hide: true } };
  const pages = new RenderedPages();
  allowScriptAndCaching(app, publicUrl);

  page(
    '/docs',
    (catalogue) => {
      const { navigation, groups } = catalogue;
      return <HomePage navigation={navigation} sections={catalogue.sections()} groups={groups} />;
    },
    docsMarkdown,
  );
  page(
    '/docs/changelog',
    ({ library, navigation }) => <ArticlePage navigation={navigation} article={library.changelog()} />,
    ({ library }) => library.changelog().markdown,
  );
  page(
    '/docs/reference',
    ({ navigation, introduction, groups }) => (
      <ReferencePage navigation={navigation} introduction={introduction} groups={groups} />
    ),
    ({ groups }) => overviewMarkdown(groups),
  );
  page('/docs/errors', ({ navigation }) => <ErrorList navigation={navigation} />, errorListMarkdown);

  app.get('/docs/guides', hidden, (_request, reply) => reply.redirect('/docs', 301));
  app.get<Named>('/docs/guides/:name', hidden, async (request, reply) => {
    const { library, navigation } = await readCatalogue();
    const article = library.guide(nameIn(request));
    if (!article) return reply.callNotFound();
    const all = library.guides();
    const index = all.indexOf(article);
    const neighbors = { previous: all[index - 1], next: all[index + 1] };
    return pages.send(request, reply, {
      path: article.path,
      page: () => <ArticlePage navigation={navigation} article={article} {...neighbors} />,
      markdown: () => article.markdown,
    });
  });
  app.get<Named>('/docs/reference/:name', hidden, async (request, reply) => {
    const { navigation, groups } = await readCatalogue();
    const group = groups.find(({ slug }) => slug === nameIn(request));
    if (!group) return reply.callNotFound();
    const token = isAddressedTo(publicUrl, request) ? await demo()?.token() : undefined;
    if (token !== undefined) reply.header('Cache-Control', 'no-store');
    return pages.send(request, reply, {
      path: token === undefined ? `/docs/reference/${group.slug}` : undefined,
      page: () => <GroupPage navigation={navigation} group={group} token={token} />,
      markdown: () => groupMarkdown(group),
    });
  });
  app.get<Named>('/docs/errors/:name', hidden, async (request, reply) => {
    const { navigation } = await readCatalogue();
    const code = nameIn(request);
    if (!isErrorCode(code))
      return sendPage(
        reply.header('Cache-Control', 'no-store'),
        <UnknownCode navigation={navigation} />,
        404,
      );
    return pages.send(request, reply, {
      path: `/docs/errors/${code}`,
      page: () => <ErrorPage navigation={navigation} code={code} />,
      markdown: () => errorMarkdown(code),
    });
  });
  app.get<{ Querystring: { q?: string | string[] } }>('/docs/search', hidden, async (request, reply) => {
    const query = [request.query.q ?? ''].flat()[0]!.trim();
    const catalogue = await readCatalogue();
    const hits = search(catalogue.entries(), query);
    return sendPage(reply, <SearchPage navigation={catalogue.navigation} query={query} hits={hits} />);
  });
  app.get('/docs/design', hidden, async (_request, reply) => {
    const { navigation } = await readCatalogue();
    return sendPage(reply, <DesignPage navigation={navigation} />);
  });
  app.get('/docs/SKILL.md', hidden, async (_request, reply) => {
    const { library } = await readCatalogue();
    return sendMarkdown(reply, library.skill());
  });
  app.get('/llms.txt', hidden, async (_request, reply) => {
    const catalogue = await readCatalogue();
    return reply.type('text/plain; charset=utf-8').send(llmsText(catalogue, publicUrl));
  });

  /** Adds a page with a fixed path, as HTML and as Markdown. */
  function page(
    path: string,
    html: (catalogue: Catalogue) => VNode,
    markdown: (catalogue: Catalogue) => string,
  ): void {
    for (const address of [path, `${path}.md`])
      app.get(address, hidden, async (request, reply) => {
        const catalogue = await readCatalogue();
        return pages.send(request, reply, {
          path,
          page: () => html(catalogue),
          markdown: () => markdown(catalogue),
        });
      });
  }
};

function allowScriptAndCaching(app: FastifyInstance, publicUrl: string): void {
  const policy = contentPolicy({ formsLeadTo: [publicUrl], scripts: true });
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers({ 'Content-Security-Policy': policy, 'Cache-Control': 'public, max-age=300' });
    done();
  });
  app.addHook('onSend', compress);
  app.addHook('onSend', async (_request, reply) => {
    reply.header('vary', 'accept, accept-encoding');
  });
}

/**
 * The token of the demo store is shown only if the Host header matches `publicUrl`. Otherwise a malicious site could
 * make its host name resolve to this machine and read the token (DNS rebinding).
 */
function isAddressedTo(publicUrl: string, request: FastifyRequest): boolean {
  return request.headers.host === new URL(publicUrl).host;
}

function nameIn(request: FastifyRequest<Named>): string {
  return request.params.name.replace(/\.md$/, '');
}
