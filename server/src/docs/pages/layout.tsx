import type { ComponentChildren } from 'preact';
import { Brand, PageHead } from '../../platform/html/page.js';
import type { Heading } from '../markdown.js';

/** The navigation beside every page of the documentation. */
export interface Navigation {
  publicUrl: string;
  sections: { title: string; links: { path: string; text: string }[] }[];
}

/** The style sheets of all documentation pages. Later ones override earlier ones. */
const STYLES = ['docs/layout.css', 'docs/prose.css', 'docs/code.css', 'docs/lists.css', 'docs/reference.css'];

/** The layout of a documentation page. The documentation is only in English, like the API. */
export function DocsPage(props: {
  navigation: Navigation;
  path: string;
  title: string;
  description: string;
  /** The headings that the table of contents lists. */
  headings?: Heading[];
  query?: string;
  /** Whether the page is also available as Markdown. */
  markdown?: boolean;
  wide?: boolean;
  /** The style sheets that only this page needs. */
  styles?: string[];
  children: ComponentChildren;
}) {
  const {
    navigation,
    path,
    title,
    description,
    headings = [],
    query = '',
    wide,
    styles = [],
    children,
  } = props;
  const url = `${navigation.publicUrl}${path}`;
  return (
    <html lang="en">
      <PageHead
        title={`${title} · Feira docs`}
        description={description}
        url={url}
        image={`${navigation.publicUrl}/assets/share.png`}
        styles={[...STYLES, ...styles]}
        script="docs.js"
      >
        {props.markdown && <link rel="alternate" type="text/markdown" href={`${path}.md`} />}
      </PageHead>
      <body>
        <a class="skip" href="#content">
          Skip to content
        </a>
        <DocsBar path={path} query={query} />
        <div class={wide ? 'docs reference' : 'docs'}>
          <nav id="menu" class="side" popover="auto" aria-label="Documentation">
            <button type="button" class="quiet menu-close" popovertarget="menu" popovertargetaction="hide">
              Close
            </button>
            {navigation.sections.map((section) => (
              <section key={section.title}>
                <h2>{section.title}</h2>
                <ul>
                  {section.links.map((link) => (
                    <li key={link.path}>
                      <a href={link.path} aria-current={link.path === path ? 'page' : undefined}>
                        {link.text}
                      </a>
                    </li>
                  ))}
                </ul>
              </section>
            ))}
          </nav>
          <main id="content" class="prose">
            {children}
            {props.markdown && (
              <p class="hint as-markdown">
                <a href={`${path}.md`}>This page as Markdown</a>
              </p>
            )}
          </main>
          {headings.length > 1 && <OnThisPage headings={headings} />}
        </div>
      </body>
    </html>
  );
}

function DocsBar({ path, query }: { path: string; query: string }) {
  const links = [
    { path: '/docs', text: 'Guides', current: path === '/docs' || path.startsWith('/docs/guides') },
    { path: '/docs/reference', text: 'Reference', current: path.startsWith('/docs/reference') },
    { path: '/docs/errors', text: 'Errors', current: path.startsWith('/docs/errors') },
    { path: '/docs/changelog', text: 'Changelog', current: path === '/docs/changelog' },
  ];
  return (
    <header class="bar docs-bar">
      <button type="button" class="quiet menu-button" popovertarget="menu">
        Menu
      </button>
      <Brand />
      <nav aria-label="Main">
        {links.map((link) => (
          <a key={link.path} href={link.path} aria-current={link.current ? 'true' : undefined}>
            {link.text}
          </a>
        ))}
      </nav>
      <search class="end">
        <form action="/docs/search">
          <input
            type="search"
            name="q"
            value={query}
            aria-label="Search the documentation"
            placeholder="Search the docs"
          />
        </form>
      </search>
    </header>
  );
}

function OnThisPage({ headings }: { headings: Heading[] }) {
  return (
    <nav class="contents" aria-label="On this page">
      <h2>On this page</h2>
      <ul>
        {headings.map(({ id, text, depth }) => (
          <li key={id} class={`depth-${depth}`}>
            <a href={`#${id}`}>{text}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
