import type {} from '@fastify/swagger';
import type {
  FastifyError,
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
} from 'fastify';
import type { Clock } from '../platform/clock.js';
import type { Seal } from '../platform/crypto/seal.js';
import type { Database } from '../platform/db/database.js';
import type { Share } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { isTemporary } from '../platform/db/unavailable.js';
import { publicError } from '../platform/http/answer-errors.js';
import { type Fields, FORM_BYTES, formFields, repetitionIn } from '../platform/http/forms.js';
import { isIdempotencyKey, MAX_IDEMPOTENCY_KEY } from '../platform/http/idempotency-keys.js';
import { keepRawBodies } from '../platform/http/json-body.js';
import { authenticateClient } from './client-authentication.js';
import type { Credentials } from './credentials.js';
import { exchangeCode, exchangeRefreshToken } from './exchange.js';
import { RefreshAnswers } from './refresh-answers.js';
import { revokeAccessToken, revokeGrant } from './revocation.js';
import { SCOPES } from './scopes.js';
import { hashOfSecret, isSecret } from './secrets.js';
import { invalidRequest, isTokenError, type TokenError, TooManyRefreshes } from './token-errors.js';
import { TOKENS, type TokenResponse } from './tokens.js';

export interface TokenOptions {
  db: Database;
  clock: Clock;
  credentials: Credentials;
  seal: Seal;
  publicUrl: string;
}

/** The endpoints for an app's backend: issue and revoke tokens, and read the server metadata. */
export const tokenRoutes: FastifyPluginAsync<TokenOptions> = async (app, options) => {
  keepRawBodies(app, FORM_BYTES);
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
  });

  app.setErrorHandler(answerFailure);

  app.post('/api/oauth/token', { schema: { hide: true } }, async (request, reply) =>
    answer(request, reply, await token(options, request)),
  );

  app.post('/api/oauth/revoke', { schema: { hide: true } }, async (request, reply) =>
    answer(request, reply, await revoke(options, request)),
  );

  serveMetadata(app, options.publicUrl);
};

type Outcome = TokenResponse | TokenError | TooManyRefreshes | Record<string, never>;

/**
 * Clients may rely on the order of these checks: content type, repeated parameters, grant_type, client, missing
 * parameters, grant, scope.
 */
async function token(
  { db, clock, credentials, seal }: TokenOptions,
  request: FastifyRequest,
): Promise<Outcome> {
  const fields = readForm(request);
  if (isTokenError(fields)) return fields;
  const grantType = fields.get('grant_type');
  if (grantType === undefined) return invalidRequest('grant_type is missing');
  if (grantType !== 'authorization_code' && grantType !== 'refresh_token') {
    return {
      error: 'unsupported_grant_type',
      error_description: 'grant_type must be authorization_code or refresh_token',
    };
  }
  const client = await authenticateClient(db.system('apps'), fields, request.headers.authorization);
  if (isTokenError(client)) return client;
  if (grantType === 'refresh_token') {
    const refreshToken = fields.get('refresh_token');
    if (refreshToken === undefined) return invalidRequest('refresh_token is missing');
    const key = request.headers['idempotency-key'];
    if (key !== undefined && !isIdempotencyKey(key))
      return invalidRequest(`Idempotency-Key must have 1 to ${MAX_IDEMPOTENCY_KEY} characters`);
    const answers = new RefreshAnswers(seal, clock);
    return exchangeRefreshToken(tokensOf(db, client.clientId), clock, answers, client.clientId, {
      refreshToken,
      scope: fields.get('scope'),
      key,
    });
  }
  const [code, redirectUri, verifier] = ['code', 'redirect_uri', 'code_verifier'].map((name) =>
    fields.get(name),
  );
  if (code === undefined) return invalidRequest('code is missing');
  if (redirectUri === undefined) return invalidRequest('redirect_uri is missing');
  if (verifier === undefined) return invalidRequest('code_verifier is missing');
  return exchangeCode(tokensOf(db, client.clientId), clock, credentials, client.clientId, {
    code,
    redirectUri,
    verifier,
  });
}

/** An unknown token gets the same response as a revoked one (RFC 7009, 2.2), and so does a token of another app. */
async function revoke({ db, credentials }: TokenOptions, request: FastifyRequest): Promise<Outcome> {
  const fields = readForm(request);
  if (isTokenError(fields)) return fields;
  const client = await authenticateClient(db.system('apps'), fields, request.headers.authorization);
  if (isTokenError(client)) return client;
  const sent = fields.get('token');
  if (sent === undefined) return invalidRequest('token is missing');
  const isAccess = isSecret('access', sent);
  if (!isAccess && !isSecret('refresh', sent)) return {};
  const tokenHash = hashOfSecret(sent);
  const tokens = tokensOf(db, client.clientId);
  const [found] = await tokens.query<{ workspace_id: string; grant_id: string }>(
    isAccess
      ? sql`select g.workspace_id, g.id as grant_id from oauth_access_tokens t
            join oauth_grants g on g.workspace_id = t.workspace_id and g.id = t.grant_id
            where t.token_hash = ${tokenHash} and g.client_id = ${client.clientId}`
      : sql`select g.workspace_id, g.id as grant_id from oauth_refresh_tokens t
            join oauth_grants g on g.workspace_id = t.workspace_id and g.id = t.grant_id
            where t.token_hash = ${tokenHash} and g.client_id = ${client.clientId}`,
  );
  if (!found) return {};
  if (isAccess) await revokeAccessToken(tokens.autocommit, tokenHash);
  else await revokeGrant(tokens.autocommit, found.workspace_id, found.grant_id);
  credentials.forget(found.workspace_id, client.clientId);
  return {};
}

/**
 * Uses the app's share of the database connections instead of the store's, because the store is not known until the
 * token or code is found.
 */
function tokensOf(db: Database, clientId: string): Share {
  return db.store(clientId, TOKENS);
}

function readForm(request: FastifyRequest): Fields | TokenError {
  const fields = formFields(request);
  if (!fields) return invalidRequest('the body must be application/x-www-form-urlencoded in UTF-8');
  const repetition = repetitionIn(fields);
  return repetition === undefined ? fields : invalidRequest(repetition);
}

function answer(request: FastifyRequest, reply: FastifyReply, outcome: Outcome): FastifyReply {
  if (outcome instanceof TooManyRefreshes) {
    const { error, error_description, retryAfterSeconds } = outcome;
    return reply.code(429).header('Retry-After', retryAfterSeconds).send({ error, error_description });
  }
  if (!isTokenError(outcome)) return reply.send(outcome);
  if (outcome.error !== 'invalid_client') return reply.code(400).send(outcome);
  if (request.headers.authorization !== undefined) reply.header('WWW-Authenticate', 'Basic realm="feira"');
  return reply.code(401).send(outcome);
}

const TEMPORARILY_UNAVAILABLE = {
  error: 'temporarily_unavailable',
  error_description: 'the service is busy; retry with exponential backoff',
};

/** Formats thrown errors as RFC 6749 requires. */
function answerFailure(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, message, more } = publicError(error);
  reply.code(status).headers(more.headers ?? {});
  if (status === 413) return reply.send(invalidRequest('the form is larger than 64 kB'));
  if (status < 500) return reply.send(invalidRequest(message));
  request.log.error({ requestId: request.id, err: error }, 'request failed');
  if (isTemporary(error)) return reply.send(TEMPORARILY_UNAVAILABLE);
  return reply.send({
    error: 'server_error',
    error_description: 'an internal error occurred; try again',
  });
}

/** Serves the authorization server metadata (RFC 8414). */
function serveMetadata(app: FastifyInstance, publicUrl: string): void {
  app.get('/.well-known/oauth-authorization-server', { schema: { hide: true } }, async (_request, reply) => {
    reply.header('Cache-Control', 'public, max-age=300');
    return {
      issuer: publicUrl,
      authorization_endpoint: `${publicUrl}/oauth/authorize`,
      token_endpoint: `${publicUrl}/api/oauth/token`,
      revocation_endpoint: `${publicUrl}/api/oauth/revoke`,
      scopes_supported: Object.keys(SCOPES),
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      revocation_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      service_documentation: `${publicUrl}/docs`,
    };
  });
}
