import type { FastifyInstance } from 'fastify';
import { contentPolicy } from '../html/content-policy.js';
import { Page, sendPage } from '../html/page.js';
import { ERROR_CATALOGUE, ERROR_CODES, type ErrorCode, type ErrorEntry } from '../http/error-catalogue.js';
import { ApiError } from '../http/errors.js';

/** The page that `docUrl` of an error body links to, and a list of all codes. In English, like the reference. */
export function serveErrorPages(app: FastifyInstance, publicUrl: string): void {
  const hidden = { schema: { hide: true } };
  const headers = {
    'Content-Security-Policy': contentPolicy({ formsLeadTo: [publicUrl] }),
    'Cache-Control': 'public, max-age=300',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
  };
  app.get('/docs/errors', hidden, (_request, reply) => sendPage(reply.headers(headers), <ErrorList />));
  app.get<{ Params: { code: string } }>('/docs/errors/:code', hidden, (request, reply) => {
    const { code } = request.params;
    if (isErrorCode(code)) return sendPage(reply.headers(headers), <ErrorPage code={code} />);
    return sendPage(reply.headers({ ...headers, 'Cache-Control': 'no-store' }), <UnknownCode />, 404);
  });
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CATALOGUE, code);
}

function ErrorList() {
  return (
    <Page language="en" title="Error codes" wide>
      <h1>Error codes</h1>
      <p>
        Every error body of the API has a stable <code>code</code>. The header <code>X-Should-Retry</code>{' '}
        says whether the same request may succeed later.
      </p>
      <dl>
        {ERROR_CODES.map((code) => (
          <div key={code}>
            <dt>
              <a href={`/docs/errors/${code}`}>
                <code>{code}</code>
              </a>{' '}
              <span class="hint">{ERROR_CATALOGUE[code].status}</span>
            </dt>
            <dd>{ERROR_CATALOGUE[code].meaning}</dd>
          </div>
        ))}
      </dl>
    </Page>
  );
}

function ErrorPage({ code }: { code: ErrorCode }) {
  const { status, meaning, remedy }: ErrorEntry = ERROR_CATALOGUE[code];
  const retry = new ApiError(status, code, meaning).isWorthRetrying;
  return (
    <Page language="en" title={code}>
      <h1>
        <code>{code}</code>
      </h1>
      <p class="hint">Status {status}</p>
      <p>{meaning}</p>
      <h2>What to do</h2>
      <p>{remedy}</p>
      <h2>Retry</h2>
      <p>
        {retry
          ? 'The same request may succeed later. X-Should-Retry is true.'
          : 'The same request fails again. X-Should-Retry is false.'}
      </p>
      <p>
        <a href="/docs/errors">All error codes</a>
      </p>
    </Page>
  );
}

function UnknownCode() {
  return (
    <Page language="en" title="Unknown error code">
      <h1>Unknown error code</h1>
      <p>No error of the API has this code.</p>
      <p>
        <a href="/docs/errors">All error codes</a>
      </p>
    </Page>
  );
}
