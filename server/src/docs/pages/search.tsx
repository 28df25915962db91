import type { Hit } from '../search.js';
import { DocsPage, type Navigation } from './layout.js';

export function SearchPage(props: { navigation: Navigation; query: string; hits: Hit[] }) {
  const { navigation, query, hits } = props;
  return (
    <DocsPage
      navigation={navigation}
      path="/docs/search"
      title={query === '' ? 'Search' : `Search: ${query}`}
      description="Search the guides, the reference and the error codes."
      query={query}
    >
      <h1>Search</h1>
      {query === '' ? (
        <p>Enter a word in the search box above, such as the name of a call, a field or an error code.</p>
      ) : (
        <p role="status">
          {hits.length === 0
            ? `Nothing found for “${query}”. Try a shorter word or a field name.`
            : `${hits.length} ${hits.length === 1 ? 'result' : 'results'} for “${query}”`}
        </p>
      )}
      <ol class="hits">
        {hits.map(({ path, title, page, excerpt }) => (
          <li key={path}>
            <a href={path}>{title}</a> <small>{page}</small>
            <p>{excerpt}</p>
          </li>
        ))}
      </ol>
    </DocsPage>
  );
}
