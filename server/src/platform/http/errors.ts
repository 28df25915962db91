import { ERROR_CATALOGUE, type ErrorCode, type ErrorEntry } from './error-catalogue.js';

export interface FaultDetail {
  field: string;
  message: string;
}

/** An error with a public message for the caller. The internal cause is in `cause` and is only logged. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: ErrorCode,
    sentence: string,
    readonly more: { details?: FaultDetail[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(sentence, { cause: more.cause });
  }

  /** Whether the same request may succeed later. */
  get isWorthRetrying(): boolean {
    const { retry }: ErrorEntry = ERROR_CATALOGUE[this.code];
    return this.status === 408 || this.status === 429 || this.status >= 500 || retry === true;
  }
}

export function badRequest(sentence: string, code: ErrorCode = 'bad_request'): ApiError {
  return new ApiError(400, code, sentence);
}

/**
 * RFC 6750: for a call without a token, the challenge contains no error. For a call with an invalid token, it names the
 * error.
 */
export function invalidToken(sentence: string, tokenSent = true): ApiError {
  const challenge = tokenSent
    ? `Bearer realm="feira", error="invalid_token", error_description="${sentence}"`
    : 'Bearer realm="feira"';
  return new ApiError(401, 'invalid_token', `invalid_token: ${sentence}`, {
    headers: { 'WWW-Authenticate': challenge },
  });
}

export function insufficientScope(needed: readonly string[]): ApiError {
  const sentence = `this call requires ${needed.join(' or ')}`;
  return new ApiError(403, 'insufficient_scope', `insufficient_scope: ${sentence}`, {
    headers: {
      'WWW-Authenticate': `Bearer realm="feira", error="insufficient_scope", error_description="${sentence}", scope="${needed.join(' ')}"`,
    },
  });
}

/** `id` is the value that the caller sent. It may have any length and is therefore shortened in the message. */
export function notFound(what: string, id?: string): ApiError {
  const name = id === undefined ? what : `${what} ${id.slice(0, 64)}`;
  return new ApiError(404, 'not_found', `${name} was not found in this store`);
}

export function unknownPath(path: string): ApiError {
  return new ApiError(404, 'not_found', `Unknown path ${path}. See /docs.`);
}

export function conflict(code: ErrorCode, sentence: string): ApiError {
  return new ApiError(409, code, sentence);
}

export function invalid(details: FaultDetail[]): ApiError {
  const [first, ...others] = details;
  const rest = others.length === 0 ? '' : ` (and ${others.length} more, see details)`;
  const sentence = first
    ? `${first.field ? `${first.field} ` : ''}${first.message}${rest}`
    : 'The body is invalid';
  return new ApiError(422, 'validation_failed', sentence, { details });
}

/** The response to an internal error. It reveals nothing about the cause. */
export function internalError(cause: unknown): ApiError {
  return new ApiError(
    500,
    'internal_error',
    'Internal error. Retry with exponential backoff. If it persists, send the requestId to support.',
    { cause },
  );
}

/**
 * The response if the database is locked, slow, out of resources or unreachable, or a queue is full or slow. A retry
 * may succeed.
 */
export function busy(cause: unknown): ApiError {
  return new ApiError(503, 'busy', 'The service is busy. Retry with exponential backoff.', {
    cause,
    headers: { 'Retry-After': '1' },
  });
}
