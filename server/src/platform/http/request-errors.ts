import type { ErrorEntry } from './error-entry.js';

const RETRY =
  'Retry with exponential backoff. If the response has a Retry-After header, wait at least that many seconds.';

/**
 * The codes of errors that are not specific to one kind of record, such as malformed requests, invalid tokens, exceeded
 * limits and unavailable services.
 */
export const REQUEST_ERRORS = {
  bad_request: {
    status: 400,
    meaning: 'The request could not be understood.',
    remedy:
      'Read the message in the error field and correct the request. Repeating it unchanged fails again.',
  },
  body_too_large: {
    status: 413,
    meaning:
      'The body is larger than 1 MB (1,048,576 bytes), or its HTTP chunk extensions are larger than 16 kB.',
    remedy: 'Divide a large batch into several calls.',
  },
  busy: {
    status: 503,
    meaning:
      'The database was busy or unreachable, or a search took too long. Also returned while too many images are being processed.',
    remedy: `${RETRY} Send an Idempotency-Key with writes, because the first attempt may have succeeded.`,
  },
  cursor_expired: {
    status: 410,
    meaning:
      'The cursor is older than 30 days, or refers to changes that were lost when a backup was restored.',
    remedy: 'Read the current state of the store, then start again without a cursor.',
  },
  dry_run_unsupported: {
    status: 400,
    meaning:
      'This call does not support dryRun. Only writes of products, variations, stock and shipping status do.',
    remedy: 'Leave out dryRun.',
  },
  expectation_failed: {
    status: 417,
    meaning: 'The Expect header has a value other than 100-continue.',
    remedy: 'Leave the header out.',
  },
  form_refused: {
    status: 403,
    meaning: 'A form sent to one of our pages has expired or came from another site.',
    remedy: 'Go back, reload the page and send the form again.',
  },
  head_too_large: {
    status: 431,
    meaning: 'The request line and the headers together are larger than 16 kB.',
    remedy: 'Shorten the query or remove headers.',
  },
  idempotency_key_in_use: {
    status: 409,
    meaning: 'The first request with this Idempotency-Key is still running.',
    remedy: 'Send the same request with the same key again after Retry-After seconds.',
    retry: true,
  },
  idempotency_key_reused: {
    status: 422,
    meaning: 'This Idempotency-Key was used for a different request within the last 24 hours.',
    remedy: 'Use a new key for each new request, and the same key only to repeat a request unchanged.',
  },
  insufficient_scope: {
    status: 403,
    meaning: 'The access token lacks the scope that this call needs. The call counts against the rate limit.',
    remedy: 'Ask the merchant to authorize the app again with the scope named in the error.',
  },
  internal_error: {
    status: 500,
    meaning: 'Internal error.',
    remedy: `${RETRY} If the error persists, send the requestId to support.`,
  },
  invalid_json: {
    status: 400,
    meaning:
      'The body is missing, is not valid JSON in UTF-8, is not a JSON object, or contains a __proto__ key.',
    remedy: 'Send a JSON object with Content-Type: application/json.',
  },
  invalid_parameter: {
    status: 400,
    meaning: 'A query parameter is invalid or unknown, or the path or a header is malformed.',
    remedy:
      'Correct the parameter that the error names. For a misspelled name, the error suggests the nearest one.',
  },
  invalid_token: {
    status: 401,
    meaning: 'The access token is missing, unknown, expired or revoked.',
    remedy:
      'Renew it with the refresh token. If that fails with invalid_grant, ask the merchant to authorize the app again.',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods in the Allow header.',
  },
  not_found: {
    status: 404,
    meaning: 'The path is unknown, or the resource does not exist in this store.',
    remedy: 'Check the path and the id. Resources of another store are reported as not found, too.',
  },
  orders_unavailable: {
    status: 502,
    meaning: 'The orders service does not respond. Products, stock and webhooks are not affected.',
    remedy: RETRY,
  },
  page_too_large: {
    status: 400,
    meaning: 'With the variations and images that the include parameter adds, the page exceeds 16 MB.',
    remedy: 'Send the same request with a smaller limit.',
  },
  precondition_failed: {
    status: 412,
    meaning: 'The resource has changed since the ETag in If-Match was read. Nothing was changed.',
    remedy:
      'Read the resource again and decide whether your change still applies. Then send it with the new ETag.',
  },
  rate_limited: {
    status: 429,
    meaning: 'The calls of this app for this store have reached the rate limit.',
    remedy: 'Wait Retry-After seconds. Use batch calls, and webhooks instead of polling.',
  },
  request_timeout: {
    status: 408,
    meaning: 'The request did not arrive completely in time.',
    remedy: 'Send it again, over a new connection.',
  },
  snapshot_running: {
    status: 409,
    meaning: 'Another snapshot of the store is being streamed to the same app.',
    remedy: 'Read that stream to its end or close its connection, then send the request again.',
  },
  storage_unavailable: {
    status: 503,
    meaning: 'The image storage is full or does not respond. Nothing was changed.',
    remedy: RETRY,
  },
  too_many_lists: {
    status: 429,
    meaning:
      'This app is already reading four large lists of this store, or the server is sending too many large responses. This list did not get its turn in time.',
    remedy: 'Read the open responses to their end, then retry after Retry-After seconds.',
  },
  unsupported_content_encoding: {
    status: 400,
    meaning: 'The body is compressed.',
    remedy: 'Send it uncompressed.',
  },
  unsupported_content_type: {
    status: 400,
    meaning: 'The Content-Type of the body is not the one that this call requires.',
    remedy: 'Send JSON with Content-Type: application/json.',
  },
  validation_failed: {
    status: 422,
    meaning: 'One or more fields are invalid. Nothing was changed.',
    remedy: 'Correct every field listed in details.',
  },
} as const satisfies Record<string, ErrorEntry>;
