import type { Article } from '../library.js';
import type { Group } from '../reference/operations.js';
import { DocsPage, type Navigation } from './layout.js';

/** The start page of the documentation: where to begin, all guides, and every call of the API. */
export function HomePage(props: {
  navigation: Navigation;
  sections: { title: string; articles: Article[] }[];
  groups: Group[];
}) {
  const { navigation, sections, groups } = props;
  return (
    <DocsPage
      navigation={navigation}
      path="/docs"
      title="Documentation"
      description="Guides and reference of the Feira Partner API: products, stock, images, orders, invoices, shipping and webhooks."
      markdown
    >
      <h1>Feira Partner API</h1>
      <p class="lead">
        Connect an ERP, a marketplace or your own program to a merchant's store: keep products and stock up to
        date, receive orders as they happen, send invoices and shipping updates.
      </p>
      <p class="actions">
        <a class="button" href="/docs/guides/quickstart">
          Quickstart
        </a>
        <a class="button second" href="/docs/reference">
          API reference
        </a>
      </p>
      {sections.map(({ title, articles }) => (
        <section key={title}>
          <h2>{title}</h2>
          <ul class="cards">
            {articles.map((article) => (
              <li key={article.path}>
                <a href={article.path}>{article.title}</a>
                <p>{article.description}</p>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <section>
        <h2 id="reference">Reference</h2>
        <p>
          Every call, documented from the same schemas that validate requests. As a file:{' '}
          <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).
        </p>
        <CallList groups={groups} />
      </section>
    </DocsPage>
  );
}

/** Lists every call by group, each with a link to its description. */
export function CallList({ groups }: { groups: Group[] }) {
  return (
    <div class="calls">
      {groups.map(({ name, slug, operations }) => (
        <section key={slug}>
          <h3>
            <a href={`/docs/reference/${slug}`}>{name}</a>
          </h3>
          <ul>
            {operations.map(({ id, method, path, summary }) => (
              <li key={id}>
                <a href={`/docs/reference/${slug}#${id}`}>
                  <span class={`method ${method.toLowerCase()}`}>{method}</span>
                  <code>{path}</code>
                  <small>{summary}</small>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
