/** RFC 6749, 5.2. */
export interface TokenError {
  error: 'invalid_request' | 'invalid_client' | 'invalid_grant' | 'unsupported_grant_type';
  error_description: string;
}

export function invalidGrant(error_description: string): TokenError {
  return { error: 'invalid_grant', error_description };
}

export function invalidRequest(error_description: string): TokenError {
  return { error: 'invalid_request', error_description };
}

export function isTokenError(value: object): value is TokenError {
  return 'error' in value;
}
