import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyRequest,
  onResponseHookHandler,
  RouteOptions,
} from 'fastify';
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
import { forbidStoring } from './platform/http/answer-headers.js';
import { compress } from './platform/http/compress.js';
import { dryRunSteps, hasDryRun } from './platform/http/dry-run.js';
import { tagResource } from './platform/http/etag.js';
import { idempotencySteps } from './platform/http/idempotency.js';
import { IdempotencyKeys } from './platform/http/idempotency-keys.js';
import { refuseMalformedIfMatch } from './platform/http/if-match.js';
import { keepRawBodies, parseJsonBody } from './platform/http/json-body.js';
import { queryChecks } from './platform/http/query-parameters.js';
import { refuseEmptyParameter, refuseUnknownPaths } from './platform/http/unknown-path.js';
import { limitUnreadAnswers } from './platform/http/unread-answers.js';
import { serializerCompiler } from './platform/schema/serialization.js';
import { validatorCompiler } from './platform/schema/validation.js';
import { type ShippingOptions, shippingRoutes } from './shipping/routes.js';
import { type WebhookOptions, webhookRoutes } from './webhooks/routes.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the call may leave behind files that are no longer referenced. */
    freesFiles?: boolean;
    /** Whether the call makes stored webhook deliveries due. */
    makesDeliveriesDue?: boolean;
    /** The area that the call belongs to, such as orders. Each area has its own share of the database connections. */
    area?: string;
  }
}

export interface ApiOptions {
  guard: GuardOptions;
  idempotency: { db: Database; clock: Clock; seal: Seal };
  afterWrite: {
    db: Database;
    clock: Clock;
    storage: Storage;
    wake: { poke(): void; deliveriesAreDue(): void };
  };
  catalog: CatalogOptions;
  media: MediaOptions;
  orders: OrderOptions;
  shipping: ShippingOptions;
  webhooks: WebhookOptions;
}

/** All routes under /api/v1. */
export const api: FastifyPluginAsync<ApiOptions> = async (app, options) => {
  addSteps(app, options);
  listRoutes(app);
  // These functions add only routes, so they are called directly. register() would create a Request and a Reply class
  // for each of them, and if there are many such classes, V8 optimizes the steps that all routes share less well.
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  await accountRoutes(routes, {});
  await catalogRoutes(routes, options.catalog);
  await mediaRoutes(routes, options.media);
  await orderRoutes(routes, options.orders);
  await shippingRoutes(routes, options.shipping);
  await webhookRoutes(routes, options.webhooks);
  refuseUnknownPaths(app);
};

/**
 * The steps of an API request, in order. The first step that fails sends the response, with one of the statuses in
 * parentheses. The steps that all requests share (id, log line, headers) are in app.ts.
 */
function addSteps(app: FastifyInstance, options: ApiOptions): void {
  const { db, clock, seal } = options.idempotency;
  const storeOf = ({ credential, routeOptions, raw }: FastifyRequest) =>
    db.store(credential.workspaceId, routeOptions.config.area).abandonedWhen(() => raw.socket.destroyed);
  const dryRun = dryRunSteps(app, storeOf);
  const idempotency = idempotencySteps(app, {
    keys: new IdempotencyKeys(clock, seal),
    storeOf,
    keysOf: ({ credential }) => db.store(credential.workspaceId, 'keys'),
    ownerOf: ({ credential: { workspaceId, clientId } }) => ({ workspaceId, clientId }),
  });
  const largeLists = limitUnreadAnswers(({ credential }) => credential.name);

  app.addHook('onRequest', forbidStoring); // Caches must not store the response.
  guard(app, options.guard); // Checks token (401), rate limit (429) and scope (403).
  keepRawBodies(app); // Reads the body as bytes (413).
  app.addHook('onRoute', (route) => {
    const isWrite = [route.method].flat().some((method) => WRITES.has(method));
    const canDryRun = hasDryRun(route);
    route.preValidation = [
      ...(isWrite ? [idempotency.open] : []), // Sends the stored response or begins a transaction (400, 409, 422).
      ...(canDryRun ? [dryRun.begin] : []), // Begins a transaction that will be rolled back.
      ...(route.config?.ifMatch ? [refuseMalformedIfMatch] : []), // If-Match (400).
      ...queryChecks(route), // Query parameters (400).
      ...(route.url.includes(':') ? [refuseEmptyParameter] : []), // Path parameters (404).
      ...(route.schema?.body ? [parseJsonBody] : []), // Parses the body (400).
    ];
    // Here the framework validates the query (400) and the body (422) with validatorCompiler.
    route.preHandler = route.config?.hasLargePages ? [largeLists.takeTurn] : []; // Limits concurrent large lists (429).
    // Here the route's handler runs.
    route.onSend = [
      ...(route.config?.etag ? [tagResource] : []), // ETag, or 304 if the client has this version.
      ...(isWrite ? [idempotency.close] : []), // Stores the response and commits.
      ...(canDryRun ? [dryRun.end] : []), // Rolls the dry run back.
      ...[route.onSend ?? []].flat(), // For HEAD, the framework removes the body.
      compress,
      largeLists.watch, // Counts a large response until the client has read it.
    ];
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.addHook('onResponse', afterWrite(options.afterWrite)); // Wakes workers and deletes files.
}

const WRITES = new Set(['POST', 'PATCH', 'PUT', 'DELETE']);

function afterWrite({ db, clock, storage, wake }: ApiOptions['afterWrite']): onResponseHookHandler {
  return (request, reply, done) => {
    if (WRITES.has(request.method) && reply.statusCode < 300 && !request.dryRun) {
      wake.poke();
      if (request.routeOptions.config.makesDeliveriesDue) wake.deliveriesAreDue();
      // Delete the files now instead of in the worker's next round. The worker retries deletions that fail here.
      if (request.routeOptions.config.freesFiles)
        sweepFiles(db.background('files'), clock, storage).catch(() => {});
    }
    done();
  };
}

function listRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url, config, schema }: RouteOptions) => {
    const body = schema?.body === undefined ? 'none' : config?.bodyOptional ? 'optional' : 'required';
    for (const each of [method].flat()) app.apiRoutes.push({ method: each, url, scope: config?.scope, body });
  });
}
