import type { DocumentPart } from '../platform/openapi/document-part.js';
import { SCOPES } from './scopes.js';

const REDIRECT = 'https://erp.example/callback';
const CLIENT = {
  client_id: { type: 'string', examples: ['app_1f0c9a52d37be4886a01c3f2'] },
  client_secret: { type: 'string', description: 'Omit it if the app authenticates with HTTP Basic.' },
};

/** Describes the authorization code flow with PKCE: what an app does to get, renew and revoke tokens. */
export function describeOAuth(publicUrl: string): DocumentPart {
  return {
    securitySchemes: {
      oauth2: {
        type: 'oauth2',
        description:
          'Authorization code with PKCE (S256). A token gives access to one store, which the merchant chose.',
        flows: {
          authorizationCode: {
            authorizationUrl: `${publicUrl}/oauth/authorize`,
            tokenUrl: `${publicUrl}/api/oauth/token`,
            refreshUrl: `${publicUrl}/api/oauth/token`,
            scopes: { ...SCOPES },
          },
        },
      },
      client: { type: 'http', scheme: 'basic', description: 'client_id and client_secret of the app.' },
    },
    schemas: { TokenRequest, TokenResponse, OAuthError },
    paths: {
      '/oauth/authorize': { get: authorize },
      '/api/oauth/token': { post: token },
      '/api/oauth/revoke': { post: revoke },
    },
  };
}

const authorize = {
  operationId: 'authorize',
  tags: ['OAuth'],
  summary: 'Ask a merchant for access',
  description:
    'Open this URL in the browser of the merchant. The merchant signs in, chooses a store, and approves or denies the request. The browser then returns to redirect_uri with code and state, or with error and state. Both responses also have iss, which identifies this server (RFC 9207). The code is valid for ten minutes and for one use.',
  security: [],
  parameters: [
    query('response_type', { type: 'string', const: 'code' }),
    query('client_id', { type: 'string' }),
    query('redirect_uri', { type: 'string', format: 'uri', examples: [REDIRECT] }, 'Exactly as registered.'),
    query(
      'scope',
      { type: 'string', examples: ['products:read stock:write'] },
      'Scopes, separated by spaces.',
    ),
    query('state', { type: 'string' }, 'Returned unchanged. Compare it with the value you sent.', false),
    query('code_challenge', { type: 'string' }, 'BASE64URL(SHA256(code_verifier)), without padding.'),
    query('code_challenge_method', { type: 'string', const: 'S256' }),
  ],
  responses: {
    200: {
      description: 'The page on which the merchant approves or denies the request.',
      content: { 'text/html': {} },
    },
    303: { description: 'Redirects to the sign-in page, or back to redirect_uri with error and state.' },
    400: {
      description: 'client_id or redirect_uri is wrong. Shows an error page and never redirects.',
      content: { 'text/html': {} },
    },
    503: { description: 'The service is busy.', content: { 'text/html': {} } },
  },
};

const TokenRequest = {
  oneOf: [
    {
      title: 'AuthorizationCodeGrant',
      type: 'object',
      required: ['grant_type', 'code', 'redirect_uri', 'code_verifier'],
      properties: {
        grant_type: { type: 'string', const: 'authorization_code' },
        ...CLIENT,
        code: { type: 'string' },
        redirect_uri: {
          type: 'string',
          format: 'uri',
          description: 'The same as in the authorization request.',
        },
        code_verifier: { type: 'string', minLength: 43, maxLength: 128, pattern: '^[A-Za-z0-9._~-]+$' },
      },
    },
    {
      title: 'RefreshTokenGrant',
      type: 'object',
      required: ['grant_type', 'refresh_token'],
      properties: {
        grant_type: { type: 'string', const: 'refresh_token' },
        ...CLIENT,
        refresh_token: { type: 'string' },
        scope: { type: 'string', description: 'Limits the new access token to these scopes.' },
      },
    },
  ],
};

const TokenResponse = {
  type: 'object',
  required: ['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope'],
  properties: {
    access_token: { type: 'string' },
    token_type: { type: 'string', const: 'Bearer' },
    expires_in: { type: 'integer', description: 'Lifetime in seconds.', examples: [7200] },
    refresh_token: { type: 'string', description: 'Valid for 30 days and for one use.' },
    scope: { type: 'string', description: 'The scopes of the access token, separated by spaces.' },
  },
};

const OAuthError = {
  type: 'object',
  required: ['error', 'error_description'],
  properties: {
    error: {
      type: 'string',
      enum: [
        'invalid_request',
        'invalid_client',
        'invalid_grant',
        'invalid_scope',
        'unsupported_grant_type',
        'temporarily_unavailable',
        'server_error',
      ],
    },
    error_description: { type: 'string' },
  },
};

const failures = {
  400: failure('A parameter is missing, repeated or malformed, or the grant is not valid.'),
  401: failure('The client is unknown, or its secret is wrong (invalid_client).'),
  408: failure('The request did not arrive in time. Send it again.'),
  413: failure('The form is larger than 64 kB.'),
  417: failure('The Expect header has a value other than 100-continue.'),
  500: failure('Internal error.'),
  503: failure('The service is busy. Retry with exponential backoff.'),
};

const token = {
  operationId: 'issueTokens',
  tags: ['OAuth'],
  summary: 'Exchange a code or a refresh token for tokens',
  description:
    'A refresh invalidates the refresh token that was sent and returns a new pair of tokens. Using a refresh token a second time invalidates all refresh tokens of the authorization, and the merchant has to approve again. Send an Idempotency-Key with a refresh, so that it can be repeated if the response is lost.',
  security: [{}, { client: [] }],
  parameters: [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'Only with grant_type=refresh_token: the same key with the same refresh token and app returns the same token pair for ten minutes.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
  ],
  requestBody: form(
    { $ref: '#/components/schemas/TokenRequest' },
    {
      grant_type: 'authorization_code',
      client_id: 'app_1f0c9a52d37be4886a01c3f2',
      client_secret: '<client secret>',
      code: '<code>',
      redirect_uri: REDIRECT,
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    },
  ),
  responses: {
    200: json('The tokens.', { $ref: '#/components/schemas/TokenResponse' }),
    ...failures,
    429: failure('This authorization was refreshed too often. Wait Retry-After seconds.'),
  },
};

const revoke = {
  operationId: 'revokeToken',
  tags: ['OAuth'],
  summary: 'Revoke a token (RFC 7009)',
  description:
    'Revoking an access token revokes only that token. Revoking a refresh token revokes the authorization with all its tokens. The response for an unknown token is the same as for a revoked one.',
  security: [{}, { client: [] }],
  requestBody: form(
    { type: 'object', required: ['token'], properties: { token: { type: 'string' }, ...CLIENT } },
    { token: '<refresh token>', client_id: 'app_1f0c9a52d37be4886a01c3f2', client_secret: '<client secret>' },
  ),
  responses: {
    200: json('The token is revoked, or it was unknown.', { type: 'object', maxProperties: 0 }),
    ...failures,
  },
};

function query(name: string, schema: object, description?: string, required = true): object {
  return { name, in: 'query', required, ...(description !== undefined && { description }), schema };
}

function form(schema: object, example: object): object {
  return { required: true, content: { 'application/x-www-form-urlencoded': { schema, example } } };
}

function json(description: string, schema: object): object {
  return { description, content: { 'application/json': { schema } } };
}

function failure(description: string): object {
  return json(description, { $ref: '#/components/schemas/OAuthError' });
}
