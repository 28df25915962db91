import type { Article } from '../library.js';
import { DocsPage, type Navigation } from './layout.js';

/** A page written in Markdown. */
export function ArticlePage(props: {
  navigation: Navigation;
  article: Article;
  previous?: Article | undefined;
  next?: Article | undefined;
}) {
  const { navigation, article, previous, next } = props;
  return (
    <DocsPage
      navigation={navigation}
      path={article.path}
      title={article.title}
      description={article.description}
      headings={article.sections.filter(({ depth }) => depth === 2 || depth === 3)}
      markdown
    >
      {/* The HTML is safe: its source is a file of this repository, and raw HTML in it was escaped. */}
      <article dangerouslySetInnerHTML={{ __html: article.html }} />
      {(previous || next) && (
        <nav class="neighbors" aria-label="Previous and next guide">
          {previous && (
            <a href={previous.path}>
              <small>Previous</small> {previous.title}
            </a>
          )}
          {next && (
            <a class="next" href={next.path}>
              <small>Next</small> {next.title}
            </a>
          )}
        </nav>
      )}
    </DocsPage>
  );
}
