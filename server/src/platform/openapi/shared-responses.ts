import type { FastifyContextConfig } from 'fastify';
import { ERROR_CODES, type ErrorCode } from '../http/error-catalogue.js';

// The request headers and responses that many calls share, and the rules for which call has which responses.

const errorSchema = {
  type: 'object',
  required: ['error', 'code', 'requestId', 'docUrl'],
  properties: {
    error: { type: 'string', description: 'What is wrong, as a sentence for people.' },
    code: {
      type: 'string',
      enum: ERROR_CODES,
      description: 'Stable, for programs. New codes may be added.',
    },
    requestId: { type: 'string', description: 'Also in X-Request-Id. Send it to support.' },
    docUrl: {
      type: 'string',
      format: 'uri',
      description: 'URL of a page that explains the code and what to do.',
    },
    details: {
      type: 'array',
      description: 'On 422: the errors and where they are.',
      items: {
        type: 'object',
        properties: {
          field: {
            type: 'string',
            description: 'The path of the field, "body" for the whole body, or the name of a header.',
            examples: ['variants[3].price'],
          },
          message: { type: 'string' },
        },
      },
    },
  },
};

const X_SHOULD_RETRY = {
  description: 'Whether the same request may succeed later.',
  schema: { type: 'string', enum: ['true', 'false'] },
};

const response = (description: string, code: ErrorCode, error: string, details?: object[]) => ({
  description,
  headers: { 'X-Should-Retry': X_SHOULD_RETRY },
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      example: {
        error,
        code,
        requestId: '4b4a5d5e-7d3f-4c55-9a51-5a1f7f3c2b10',
        docUrl: `https://feira.example/docs/errors/${code}`,
        ...(details && { details }),
      },
    },
  },
});

export const SHARED_COMPONENTS = {
  schemas: { Error: errorSchema },
  parameters: {
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description: 'Up to 255 characters. Use a new key for each new request. A key is stored for 24 hours.',
      schema: { type: 'string', maxLength: 255 },
    },
    IfMatch: {
      name: 'If-Match',
      in: 'header',
      required: false,
      description:
        'The ETag of the product when it was read. If the product has changed since then, the response is a 412. * matches any ETag; separate several ETags with commas.',
      schema: { type: 'string' },
    },
    IfNoneMatch: {
      name: 'If-None-Match',
      in: 'header',
      required: false,
      description: 'The ETag of an earlier response. If nothing has changed, the response is a 304.',
      schema: { type: 'string' },
    },
  },
  responses: {
    NotModified: { description: 'Not modified since the ETag was issued. The response has no body.' },
    BadRequest: response(
      'The body is not JSON or is compressed, a query parameter is invalid or unknown, or the path or a header is malformed.',
      'invalid_parameter',
      'limit must be at least 1',
    ),
    InvalidToken: response(
      'The access token is missing, unknown, expired or revoked. Get a new one with the refresh token.',
      'invalid_token',
      'invalid_token: the access token is unknown, expired or revoked; get a new one with the refresh token',
    ),
    InsufficientScope: response(
      'The token lacks the scope that this call requires. The call still counts against the rate limit.',
      'insufficient_scope',
      'insufficient_scope: this call requires products:write',
    ),
    NotFound: response(
      'The resource does not exist in this store.',
      'not_found',
      'Product 0192f0c1 was not found in this store',
    ),
    Conflict: response(
      'The request conflicts with the current state, or the first request with this Idempotency-Key is still running (idempotency_key_in_use).',
      'duplicate_name',
      'A product named "Camiseta" already exists in this store',
    ),
    CursorExpired: response(
      'The cursor is older than 30 days, or refers to changes that were lost when a backup was restored. Read the current state, then start again without a cursor.',
      'cursor_expired',
      'This cursor is older than 30 days or refers to changes that were lost when a backup was restored. Read the current state, then start again without a cursor.',
    ),
    InternalError: response(
      'Internal error. Retry with exponential backoff. If it persists, send the requestId to support.',
      'internal_error',
      'Internal error. Retry with exponential backoff. If it persists, send the requestId to support.',
    ),
    RequestTimeout: response(
      'The request did not arrive in time. Send it again.',
      'request_timeout',
      'The request did not arrive in time; send it again',
    ),
    ExpectationFailed: response(
      'The Expect header has a value other than 100-continue.',
      'expectation_failed',
      'The Expect header can only be 100-continue',
    ),
    PreconditionFailed: response(
      'The product has changed since the ETag in If-Match was read. This call changed nothing.',
      'precondition_failed',
      'The resource has changed since the ETag in If-Match was read. Read it again and decide whether your change still applies.',
    ),
    SnapshotRunning: response(
      'Only with Accept: application/x-ndjson: another snapshot of this store is being streamed to this app.',
      'snapshot_running',
      'Another snapshot of this store is being streamed to this app. Read it to its end or close its connection first.',
    ),
    TooLarge: response(
      'The body is over 1 MB (1,048,576 bytes).',
      'body_too_large',
      'The body is larger than 1 MB; send it in several calls',
    ),
    Invalid: response(
      'One or more fields are invalid; details lists the errors. Or this Idempotency-Key was used for another request (idempotency_key_reused).',
      'validation_failed',
      'price must be at least 0',
      [{ field: 'price', message: 'must be at least 0' }],
    ),
    TooMany: response(
      'The rate limit is reached. Wait Retry-After seconds.',
      'rate_limited',
      'Too many requests: the limit of 120 is reached. Retry in 12 s',
    ),
    TooManyLists: response(
      'The rate limit is reached (rate_limited). Or the call did not get its turn in time, because four large lists of this store and app are being read or the server is sending too many large responses (too_many_lists). Wait Retry-After seconds.',
      'rate_limited',
      'Too many requests: the limit of 120 is reached. Retry in 12 s',
    ),
    Busy: response(
      'The database was busy or unreachable, a search took too long, too many images were being processed, or the image storage was full or did not respond (storage_unavailable). Retry after Retry-After seconds, with exponential backoff.',
      'busy',
      'The service is busy. Retry with exponential backoff.',
    ),
    Unavailable: response(
      'The orders service does not respond. Products, stock and webhooks are not affected. Retry with exponential backoff.',
      'orders_unavailable',
      'The orders service does not respond. Retry with exponential backoff.',
    ),
  },
} as object;

/** Returns the shared responses of a call. They depend on its method, its path and the settings of its route. */
export function sharedResponses(
  method: string,
  hasPath: boolean,
  {
    etag,
    ifMatch,
    bodyHasId,
    mayBeUnavailable,
    cursorMayExpire,
    snapshotOf,
    hasLargePages,
  }: FastifyContextConfig,
): Record<string, object> {
  const ref = (name: string) => ({ $ref: `#/components/responses/${name}` });
  return {
    ...(etag && { 304: ref('NotModified') }),
    400: ref('BadRequest'),
    401: ref('InvalidToken'),
    403: ref('InsufficientScope'),
    ...((hasPath || bodyHasId) && { 404: ref('NotFound') }),
    // A request can time out while the server waits for its body. A GET request has no body.
    ...(method !== 'get' && { 408: ref('RequestTimeout') }),
    ...(cursorMayExpire && { 410: ref('CursorExpired') }),
    // A write may have an Idempotency-Key and a body even if it needs neither.
    ...(method !== 'get' && { 409: ref('Conflict'), 413: ref('TooLarge'), 422: ref('Invalid') }),
    ...(ifMatch && { 412: ref('PreconditionFailed') }),
    ...(snapshotOf && { 409: ref('SnapshotRunning') }),
    417: ref('ExpectationFailed'),
    429: ref(hasLargePages ? 'TooManyLists' : 'TooMany'),
    ...(mayBeUnavailable && { 502: ref('Unavailable') }),
    500: ref('InternalError'),
    503: ref('Busy'),
  };
}
