import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isTemporary } from '../db/unavailable.js';
import { sendErrorPage, sendNotFoundPage, wantsPage } from '../html/error-page.js';
import { pageHeaders } from '../html/page-headers.js';
import { BodyFaults, fieldPath, sentenceFor } from '../schema/validation.js';
import { ApiError, badRequest, busy, internalError, invalid, unknownPath } from './errors.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** The base URL of the error documentation that error bodies link to. */
    errorDocs: string;
  }
}

/**
 * Answers errors in one JSON format, or with a page if a GET or HEAD request outside /api/ accepts HTML. The cause of a
 * 5xx error is logged but not sent. Some plugins, such as the one of the token endpoint, set their own error handler.
 */
export function answerErrors(app: FastifyInstance, publicUrl: string): void {
  app.decorate('errorDocs', `${publicUrl}/docs/errors`);
  const headers = pageHeaders(publicUrl);
  app.setErrorHandler((thrown: FastifyError, request, reply) => {
    const error = publicError(thrown);
    if (!wantsPage(request)) return sendError(error, request, reply);
    logFailure(error, request);
    sendErrorPage(error, request, reply.headers(headers));
  });
  app.setNotFoundHandler((request, reply) => {
    const address = withoutTrailingSlash(app, request);
    if (address !== undefined) return reply.redirect(address, 301);
    if (wantsPage(request)) return sendNotFoundPage(request, reply.headers(headers));
    return sendError(unknownPath(pathOf(request)), request, reply);
  });
}

/** Matches a path that has a trailing slash and may be a page. Paths of the API, media and uploads do not match. */
const PAGE_WITH_SLASH = /^\/(?!api\/|media\/|uploads\/)[^/].*[^/]\/$/;

/** Returns the page address without its trailing slash, such as /docs for /docs/, or undefined for other requests. */
function withoutTrailingSlash(app: FastifyInstance, request: FastifyRequest): string | undefined {
  const path = pathOf(request);
  if (request.method !== 'GET' || !PAGE_WITH_SLASH.test(path)) return undefined;
  const shorter = path.slice(0, -1);
  return app.findRoute({ method: 'GET', url: shorter })
    ? shorter + request.url.slice(path.length)
    : undefined;
}

export function sendError(error: ApiError, request: FastifyRequest, reply: FastifyReply): void {
  logFailure(error, request);
  reply
    .code(error.status)
    .headers(error.more.headers ?? {})
    .header('x-should-retry', String(error.isWorthRetrying))
    .type('application/json; charset=utf-8')
    .send(errorBody(error, request.id, request.server.errorDocs));
}

function logFailure(error: ApiError, request: FastifyRequest): void {
  if (error.status >= 500)
    request.log.error({ requestId: request.id, err: error.more.cause ?? error }, 'request failed');
}

export function errorBody({ message, code, more }: ApiError, requestId: string, docs: string): string {
  return JSON.stringify({
    error: message,
    code,
    requestId,
    docUrl: `${docs}/${code}`,
    ...(more.details && { details: more.details }),
  });
}

export function pathOf(request: FastifyRequest): string {
  const { url } = request;
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

export function publicError(error: FastifyError): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof BodyFaults) return invalid(error.details);
  if (error.validation) return badParameter(error.validation[0]);
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError(413, 'body_too_large', 'The body is larger than 1 MB; send it in several calls');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return badRequest('Content-Type must be application/json', 'unsupported_content_type');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return badRequest('The length of the body differs from Content-Length');
  }
  if (isTemporary(error)) return busy(error);
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) return new ApiError(status, 'bad_request', error.message);
  return internalError(error);
}

/** `fault` is the first error that the validator of the query or path found. */
export function badParameter(fault: object | undefined): ApiError {
  const error = fault as Parameters<typeof sentenceFor>[0];
  return badRequest(
    `${fieldPath(error.instancePath) || 'The query'} ${sentenceFor(error)}`,
    'invalid_parameter',
  );
}
