import {
  ERROR_CATALOGUE,
  ERROR_CODES,
  type ErrorCode,
  type ErrorEntry,
} from '../../platform/http/error-catalogue.js';
import { ApiError } from '../../platform/http/errors.js';
import { DocsPage, type Navigation } from './layout.js';

const PATH = '/docs/errors';

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CATALOGUE, code);
}

export function ErrorList({ navigation }: { navigation: Navigation }) {
  return (
    <DocsPage
      navigation={navigation}
      path={PATH}
      title="Error codes"
      description="Every code that an error body can have, with its status and meaning."
      markdown
    >
      <h1>Error codes</h1>
      <p>
        Every error body of the API has a stable <code>code</code>. The header <code>X-Should-Retry</code>{' '}
        says whether the same request may succeed later. <a href="/docs/guides/errors">Errors and retries</a>{' '}
        shows how a client uses both.
      </p>
      <dl class="errors">
        {ERROR_CODES.map((code) => (
          <div key={code}>
            <dt>
              <a href={`${PATH}/${code}`}>
                <code>{code}</code>
              </a>{' '}
              <span class="tag">{ERROR_CATALOGUE[code].status}</span>
            </dt>
            <dd>{ERROR_CATALOGUE[code].meaning}</dd>
          </div>
        ))}
      </dl>
    </DocsPage>
  );
}

/** The page that `docUrl` of an error body links to. */
export function ErrorPage({ navigation, code }: { navigation: Navigation; code: ErrorCode }) {
  const { status, meaning, remedy }: ErrorEntry = ERROR_CATALOGUE[code];
  return (
    <DocsPage navigation={navigation} path={`${PATH}/${code}`} title={code} description={meaning} markdown>
      <p class="crumb">
        <a href={PATH}>Error codes</a>
      </p>
      <h1>
        <code>{code}</code>
      </h1>
      <p>
        <span class="tag">Status {status}</span>
      </p>
      <p>{meaning}</p>
      <h2>What to do</h2>
      <p>{remedy}</p>
      <h2>Retry</h2>
      <p>{retrySentence(code)}</p>
    </DocsPage>
  );
}

export function UnknownCode({ navigation }: { navigation: Navigation }) {
  return (
    <DocsPage
      navigation={navigation}
      path={PATH}
      title="Unknown error code"
      description="No error of the API has this code."
    >
      <h1>Unknown error code</h1>
      <p>No error of the API has this code.</p>
      <p>
        <a href={PATH}>All error codes</a>
      </p>
    </DocsPage>
  );
}

export function errorMarkdown(code: ErrorCode): string {
  const { status, meaning, remedy }: ErrorEntry = ERROR_CATALOGUE[code];
  return `# ${code}\n\nStatus ${status}. ${meaning}\n\n## What to do\n\n${remedy}\n\n## Retry\n\n${retrySentence(code)}\n`;
}

export function errorListMarkdown(): string {
  const rows = ERROR_CODES.map(
    (code) =>
      `| [${code}](${PATH}/${code}.md) | ${ERROR_CATALOGUE[code].status} | ${ERROR_CATALOGUE[code].meaning} |`,
  );
  return `# Error codes\n\n| Code | Status | Meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
}

function retrySentence(code: ErrorCode): string {
  const { status, meaning } = ERROR_CATALOGUE[code];
  return new ApiError(status, code, meaning).isWorthRetrying
    ? 'The same request may succeed later. X-Should-Retry is true.'
    : 'The same request fails again unless the cause is removed. X-Should-Retry is false.';
}
