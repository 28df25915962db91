import type { FastifyInstance, FastifyPluginAsync, FastifyRequest, RouteOptions } from 'fastify';
import { type CatalogOptions, catalogRoutes } from './catalog/routes.js';
import { type MediaOptions, mediaRoutes } from './media/routes.js';
import type { Storage } from './media/storage.js';
import { sweepFiles } from './media/sweep.js';
import { type GuardOptions, guard } from './oauth/guard.js';
import { accountRoutes } from './oauth/routes.js';
import { type OrderOptions, orderRoutes } from './orders/routes.js';
import type { Clock } from './platform/clock.js';
import type { Seal } from './platform/crypto/seal.js';
import type { Database } from './platform/db/database.js';
import { pathOf } from './platform/http/answer-errors.js';
import { forbidStoring } from './platform/http/answer-headers.js';
import { compressAnswers } from './platform/http/compress.js';
import { offerDryRuns } from './platform/http/dry-run.js';
import { ApiError } from './platform/http/errors.js';
import { tagResources } from './platform/http/etag.js';
import { keepIdempotencyKeys } from './platform/http/idempotency.js';
import { IdempotencyKeys } from './platform/http/idempotency-keys.js';
import { refuseMalformedIfMatch } from './platform/http/if-match.js';
import { keepRawBodies, parseJsonBody } from './platform/http/json-body.js';
import { queryJudges, refuseBrokenQuery } from './platform/http/query-parameters.js';
import { limitUnreadAnswers } from './platform/http/unread-answers.js';
import { validatorCompiler } from './platform/schema/validation.js';
import { type ShippingOptions, shippingRoutes } from './shipping/routes.js';
import { type WebhookOptions, webhookRoutes } from './webhooks/routes.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Files may have become useless by this call. */
    freesFiles?: boolean;
    /** The part of a store whose share of the connections its calls use. */
    area?: string;
  }
}

export interface ApiOptions {
  guard: GuardOptions;
  idempotency: { db: Database; clock: Clock; seal: Seal };
  afterWrite: { db: Database; clock: Clock; storage: Storage; wake: { poke(): void } };
  catalog: CatalogOptions;
  media: MediaOptions;
  orders: OrderOptions;
  shipping: ShippingOptions;
  webhooks: WebhookOptions;
}

/** Everything under /api/v1, in the order in which a request meets it. */
export const api: FastifyPluginAsync<ApiOptions> = async (app, options) => {
  app.setValidatorCompiler(validatorCompiler);
  forbidStoring(app);
  guard(app, options.guard);
  keepRawBodies(app);
  const { db } = options.idempotency;
  const storeOf = (request: FastifyRequest) =>
    db
      .store(request.credential.workspaceId, request.routeOptions.config.area)
      .abandonedWhen(() => request.raw.socket.destroyed);
  offerDryRuns(app, storeOf);
  keepIdempotencyKeys(app, {
    keys: new IdempotencyKeys(options.idempotency.clock, options.idempotency.seal),
    storeOf,
    keysOf: ({ credential }) => db.store(credential.workspaceId, 'keys'),
    ownerOf: ({ credential: { workspaceId, clientId } }) => ({ workspaceId, clientId }),
  });
  app.addHook('onRoute', (route) => {
    const judges = [
      ...(route.config?.ifMatch ? [refuseMalformedIfMatch] : []),
      ...queryJudges(route),
      ...(route.url.includes(':') ? [refuseEmptyParameter] : []),
      ...(route.schema?.body ? [parseJsonBody] : []),
    ];
    route.preValidation = [...[route.preValidation ?? []].flat(), ...judges];
  });
  tagResources(app);
  compressAnswers(app);
  limitUnreadAnswers(app, (request) => request.credential.name);
  const { clock, storage, wake } = options.afterWrite;
  app.addHook('onResponse', (request, reply, done) => {
    if (request.method !== 'GET' && reply.statusCode < 300 && !request.dryRun) {
      wake.poke();
      // So that files disappear at once and not with the worker's next round, which retries what fails here.
      if (request.routeOptions.config.freesFiles)
        sweepFiles(db.background('files'), clock, storage).catch(() => {});
    }
    done();
  });

  app.addHook('onRoute', ({ method, url, config, schema }: RouteOptions) => {
    const body = schema?.body === undefined ? 'none' : config?.bodyOptional ? 'optional' : 'required';
    for (const each of [method].flat()) app.apiRoutes.push({ method: each, url, scope: config?.scope, body });
  });
  await app.register(accountRoutes);
  await app.register(catalogRoutes, options.catalog);
  await app.register(mediaRoutes, options.media);
  await app.register(orderRoutes, options.orders);
  await app.register(shippingRoutes, options.shipping);
  await app.register(webhookRoutes, options.webhooks);
  refuseTheRest(app);
};

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Whatever is left under the prefix is 405 with Allow, or 404; both need a token and spend budget like any other. */
function refuseTheRest(app: FastifyInstance): void {
  // The framework would want the Content-Type of a body that nobody reads.
  app.addHttpMethod('QUERY', { overrideExisting: true });
  app.setNotFoundHandler({ preValidation: refuseBrokenQuery }, (request) => {
    const url = pathOf(request);
    const allow = METHODS.filter((method) => isComplete(app.findRoute({ method, url })?.params)).join(', ');
    if (allow === '') throw nothingAt(request);
    throw new ApiError(405, 'method_not_allowed', `${request.method} is not allowed here; ${allow} is`, {
      headers: { Allow: allow },
    });
  });
}

/** To the router /products/ is a product without an id; to everybody else it is another path. */
function refuseEmptyParameter(request: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void {
  done(isComplete(request.params as PathParameters) ? undefined : nothingAt(request));
}

type PathParameters = Record<string, string | undefined>;

function isComplete(parameters: PathParameters | undefined): boolean {
  for (const name in parameters) if (parameters[name] === '') return false;
  return parameters !== undefined;
}

function nothingAt(request: FastifyRequest): ApiError {
  return new ApiError(404, 'not_found', `There is nothing at ${pathOf(request)}; /docs lists what there is`);
}
