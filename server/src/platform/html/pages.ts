import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { isTemporary } from '../db/unavailable.js';
import { ApiError, busy, internalError } from '../http/errors.js';
import { FORM_BYTES } from '../http/forms.js';
import { keepRawBodies } from '../http/json-body.js';
import { sendErrorPage } from './error-page.js';
import { languageOf } from './language.js';
import { pageHeaders } from './page-headers.js';

/** The common behavior of all HTML pages: headers, raw form bodies, and error pages. */
export function servePages(app: FastifyInstance, publicUrl: string): void {
  const headers = pageHeaders(publicUrl);
  keepRawBodies(app, FORM_BYTES);
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
  app.setErrorHandler((thrown: FastifyError, request, reply) => {
    return sendErrorPage(pageError(thrown, request), request, reply);
  });
}

const UNREADABLE = {
  en: 'The request could not be read. Go back, reload the page and try again.',
  pt: 'Não foi possível processar a solicitação. Volte, atualize a página e tente novamente.',
};

/** Returns the error that a page shows for a thrown error, and logs a 5xx error. */
export function pageError(thrown: FastifyError, request: FastifyRequest): ApiError {
  const error = asApiError(thrown, request);
  if (error.status >= 500) request.log.error({ requestId: request.id, err: thrown }, 'page failed');
  return error;
}

function asApiError(thrown: FastifyError, request: FastifyRequest): ApiError {
  if (isTemporary(thrown)) return busy(thrown);
  if (thrown instanceof ApiError) return thrown;
  const { statusCode = 500 } = thrown;
  if (statusCode >= 500) return internalError(thrown);
  const text = UNREADABLE[languageOf(request.headers['accept-language'])];
  return new ApiError(statusCode, 'bad_request', text);
}
