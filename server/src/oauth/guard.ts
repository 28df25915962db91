import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Budgets, Verdict } from '../platform/budgets/budgets.js';
import { ApiError, insufficientScope, invalidToken } from '../platform/http/errors.js';
import type { Credential, Credentials } from './credentials.js';
import type { Scope } from './scopes.js';
import { isSecret } from './secrets.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a token needs for this call: one scope, one of several, or 'any' for any valid token. */
    scope?: Scope | readonly Scope[] | 'any';
    /** This call spends the upload budgets too. */
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
 * Token 401 → budget 429 → scope 403 (which has spent budget by then). What is at hand is not waited for: on most calls
 * the credential and the count are, and their promises cost a twentieth of a product read.
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
    throw new Error(`${route.method} ${route.url} declares no scope; say config: { scope: … } on the route`);
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
  if (token === undefined) throw invalidToken('the Authorization header must read Bearer <token>');
  if (isSecret('refresh', token))
    throw invalidToken('this is a refresh token; exchange it for an access token first');
  if (!isSecret('access', token)) return orRefuse(undefined);
  // Remembered under one spelling: a token in many would push others out of the cache.
  const usual = `Bearer ${token}`;
  return credentials.remembered(usual) ?? credentials.find(usual, token, request.ip).then(orRefuse);
}

function orRefuse(credential: Credential | undefined): Credential {
  if (!credential)
    throw invalidToken('the access token is unknown, expired or revoked; renew it with the refresh token');
  return credential;
}

function applyBudget(verdict: Verdict, reply: FastifyReply): void {
  // Rounded up, but not for the last bits of a floating-point difference: they made 61 of a wait of 60 seconds.
  const seconds = Math.ceil(Math.round(verdict.resetMs * 1000) / 1_000_000);
  // In the letters in which the framework keeps them: any others are put into these anew for each answer.
  reply.header('x-ratelimit-limit', verdict.limit);
  reply.header('x-ratelimit-remaining', verdict.remaining);
  reply.header('x-ratelimit-reset', seconds);
  if (verdict.accepted) return;
  throw new ApiError(
    429,
    'rate_limited',
    `Too many requests: the budget of ${verdict.limit} is used up; wait ${seconds} s`,
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
