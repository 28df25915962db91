import { ERROR_CATALOGUE, ERROR_CODES } from '../platform/http/error-catalogue.js';
import { CONTENTS } from './contents.js';
import type { Article, Library } from './library.js';
import type { Navigation } from './pages/layout.js';
import type { ApiDocument } from './reference/document.js';
import { type Group, groupsOf } from './reference/operations.js';
import type { Entry } from './search.js';

/**
 * Returns a function that builds the catalogue on first use. During startup not all routes are registered yet, and
 * importing the library with its Markdown parser would delay every start. The catalogue is kept, because rendering the
 * guides takes about 0.35 s.
 */
export function openCatalogue(readDocument: () => Promise<object>, publicUrl: string): ReadCatalogue {
  let catalogue: Promise<Catalogue> | undefined;
  return () => {
    catalogue ??= buildCatalogue(readDocument, publicUrl);
    return catalogue;
  };
}

export type ReadCatalogue = () => Promise<Catalogue>;

async function buildCatalogue(readDocument: () => Promise<object>, publicUrl: string): Promise<Catalogue> {
  const [{ Library }, document] = await Promise.all([import('./library.js'), readDocument()]);
  return new Catalogue(new Library(publicUrl), document as ApiDocument, publicUrl);
}

/** The whole documentation: written pages, the reference and the error codes. */
export class Catalogue {
  readonly introduction: string;
  readonly groups: Group[];
  readonly navigation: Navigation;
  private searchable: Entry[] | undefined;

  constructor(
    readonly library: Library,
    document: ApiDocument,
    publicUrl: string,
  ) {
    this.introduction = document.info.description ?? '';
    this.groups = groupsOf(document);
    this.navigation = { publicUrl, sections: [...this.guideLinks(), this.referenceLinks(), MORE] };
  }

  sections(): { title: string; articles: Article[] }[] {
    return CONTENTS.map(({ title, guides }) => ({
      title,
      articles: guides.map((name) => this.library.guide(name)!),
    }));
  }

  /** The addresses of all pages, for the sitemap. */
  paths(): string[] {
    return [
      '/docs',
      ...this.navigation.sections.flatMap(({ links }) => links.map(({ path }) => path)),
      ...ERROR_CODES.map((code) => `/docs/errors/${code}`),
    ];
  }

  /** Returns everything that the search can find: the sections of the guides, the calls and the error codes. */
  entries(): Entry[] {
    this.searchable ??= this.collectEntries();
    return this.searchable;
  }

  private collectEntries(): Entry[] {
    const articles = this.library.guides().flatMap((article) =>
      article.sections.map(({ depth, id, text, body }) => ({
        path: depth === 1 ? article.path : `${article.path}#${id}`,
        title: text,
        page: article.title,
        text: body,
      })),
    );
    const calls = this.groups.flatMap(({ name, slug, operations }) =>
      operations.map(({ id, method, path, summary, description, parameters, body }) => ({
        path: `/docs/reference/${slug}#${id}`,
        title: summary,
        page: `${name} reference`,
        text: `${method} ${path} ${description} ${[...parameters, ...(body?.fields ?? [])].map((field) => field.name).join(' ')}`,
      })),
    );
    const errors = ERROR_CODES.map((code) => ({
      path: `/docs/errors/${code}`,
      title: code,
      page: 'Error codes',
      text: `${ERROR_CATALOGUE[code].meaning} ${ERROR_CATALOGUE[code].remedy}`,
    }));
    return [...articles, ...calls, ...errors];
  }

  private guideLinks(): Navigation['sections'] {
    return this.sections().map(({ title, articles }) => ({
      title,
      links: articles.map((article) => ({ path: article.path, text: article.title })),
    }));
  }

  private referenceLinks(): Navigation['sections'][number] {
    return {
      title: 'Reference',
      links: [
        { path: '/docs/reference', text: 'All calls' },
        ...this.groups.map(({ name, slug }) => ({ path: `/docs/reference/${slug}`, text: name })),
      ],
    };
  }
}

const MORE = {
  title: 'More',
  links: [
    { path: '/docs/errors', text: 'Error codes' },
    { path: '/docs/changelog', text: 'Changelog' },
    { path: '/docs/design', text: 'Design system' },
  ],
};
