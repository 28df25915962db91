/** The error response of the token endpoint (RFC 6749, 5.2). */
export interface TokenError {
  error:
    | 'invalid_request'
    | 'invalid_client'
    | 'invalid_grant'
    | 'invalid_scope'
    | 'unsupported_grant_type'
    | 'temporarily_unavailable';
  error_description: string;
}

export function invalidGrant(error_description: string): TokenError {
  return { error: 'invalid_grant', error_description };
}

export function invalidRequest(error_description: string): TokenError {
  return { error: 'invalid_request', error_description };
}

/**
 * RFC 6749 has no error code for a client that calls the token endpoint too often. With invalid_grant, clients would
 * ask the merchant for approval again, so this uses temporarily_unavailable, a code of the authorization endpoint.
 */
export class TooManyRefreshes {
  readonly error = 'temporarily_unavailable';
  readonly error_description: string;

  constructor(
    perHour: number,
    readonly retryAfterSeconds: number,
  ) {
    this.error_description = `this authorization was refreshed ${perHour} times within an hour; use the access token until it expires`;
  }
}

export function isTokenError(value: object): value is TokenError {
  return 'error' in value;
}
