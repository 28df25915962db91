import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Budgets, Verdict } from '../platform/budgets/budgets.js';
import { ApiError, insufficientScope, invalidToken } from '../platform/http/errors.js';
import type { Credential } from './credential.js';
import type { Credentials } from './credentials.js';
import type { Scope } from './scopes.js';
import { isSecret } from './secrets.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that a route requires: one, one of several, or 'any' for any valid token. */
    scope?: Scope | readonly Scope[] | 'any';
    /** Set for calls that also count against the rate limits for uploads. */
    upload?: boolean;
  }
  interface FastifyRequest {
    credential: Credential;
  }
}

export type Guard = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

export interface GuardOptions {
  credentials: Credentials;
  budgets: Budgets;
}

export function guard(app: FastifyInstance, options: GuardOptions): void {
  app.decorateRequest('credential', null as never);
  app.addHook('onRoute', refuseUndeclared);
  app.addHook('onRequest', guardOf(options));
}

/**
 * Returns a hook that checks the token (401), then the rate limit (429), then the scope (403). A call rejected with 403
 * counts against the limit. For most calls the credential and the count are in memory, and awaiting them anyway took a
 * twentieth of the time of a product read, so cached values are used without a promise.
 */
export function guardOf({ credentials, budgets }: GuardOptions): Guard {
  function admit(request: FastifyRequest, reply: FastifyReply, credential: Credential): void | Promise<void> {
    request.credential = credential;
    request.caller = credential.logged;
    const { config } = request.routeOptions;
    const judge = (verdict: Verdict) => {
      applyBudget(verdict, reply);
      checkScope(credential, config?.scope ?? 'any');
    };
    const spent = budgets.spend(credential, config?.upload ? 'upload' : 'call');
    return spent instanceof Promise ? spent.then(judge) : judge(spent);
  }

  return (request, reply, done) => {
    let admitted: void | Promise<void>;
    try {
      const found = authenticate(request, credentials);
      admitted =
        found instanceof Promise
          ? found.then((credential) => admit(request, reply, credential))
          : admit(request, reply, found);
    } catch (error) {
      done(error as Error);
      return;
    }
    if (admitted) admitted.then(() => done(), done);
    else done();
  };
}

function refuseUndeclared(route: RouteOptions): void {
  if (route.config?.scope === undefined) {
    throw new Error(`${route.method} ${route.url} declares no scope. Add config: { scope: … } to the route`);
  }
}

const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

function authenticate(request: FastifyRequest, credentials: Credentials): Credential | Promise<Credential> {
  const header = request.headers.authorization;
  if (header === undefined)
    throw invalidToken('send the access token as Authorization: Bearer <token>', false);
  const remembered = credentials.remembered(header);
  if (remembered) return remembered;
  const token = BEARER.exec(header)?.[1];
  if (token === undefined) throw invalidToken('the Authorization header must be Bearer <token>');
  if (isSecret('refresh', token))
    throw invalidToken('this is a refresh token; exchange it for an access token first');
  if (!isSecret('access', token)) return orRefuse(undefined);
  // The cache key always uses this spelling. Otherwise one token in many spellings (bearer, BEARER) could evict other
  // tokens from the cache.
  const usual = `Bearer ${token}`;
  return credentials.remembered(usual) ?? credentials.find(usual, token, request.ip).then(orRefuse);
}

function orRefuse(credential: Credential | undefined): Credential {
  if (!credential)
    throw invalidToken(
      'the access token is unknown, expired or revoked; get a new one with the refresh token',
    );
  return credential;
}

function applyBudget(verdict: Verdict, reply: FastifyReply): void {
  // Round up, but ignore floating-point noise, which turned a wait of 60 seconds into 61.
  const seconds = Math.ceil(Math.round(verdict.resetMs * 1000) / 1_000_000);
  // Header names are in lower case because the framework would convert any other spelling for each response. Values are
  // strings because Node would convert a number twice.
  reply.header('x-ratelimit-limit', String(verdict.limit));
  reply.header('x-ratelimit-remaining', String(verdict.remaining));
  reply.header('x-ratelimit-reset', String(seconds));
  if (verdict.accepted) return;
  throw new ApiError(
    429,
    'rate_limited',
    `Too many requests: the limit of ${verdict.limit} is reached. Retry in ${seconds} s`,
    {
      headers: { 'Retry-After': String(seconds) },
    },
  );
}

function checkScope(credential: Credential, needed: Scope | readonly Scope[] | 'any'): void {
  if (needed === 'any') return;
  const accepted = typeof needed === 'string' ? [needed] : needed;
  if (!accepted.some((scope) => credential.scopes.has(scope))) throw insufficientScope(accepted);
}
