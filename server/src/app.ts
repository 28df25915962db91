import { promisify } from 'node:util';
import Fastify, {
  type FastifyContextConfig,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import { type ApiOptions, api } from './api.js';
import { LocalStorage } from './media/local-storage.js';
import { serveResized } from './media/resize.js';
import { serveMedia } from './media/serve.js';
import type { Storage } from './media/storage.js';
import { uploadRoute } from './media/upload-route.js';
import { type Guard, guardOf } from './oauth/guard.js';
import { describeOAuth } from './oauth/openapi.js';
import { type TokenOptions, tokenRoutes } from './oauth/token-routes.js';
import { type PagesOptions, pages } from './pages.js';
import type { PublicRoutes } from './platform/config.js';
import { answerErrors, pathOf, publicError, sendError } from './platform/http/answer-errors.js';
import { safetyHeaders, sendSafetyHeaders } from './platform/http/answer-headers.js';
import { refuseBrokenHeads, refuseUnreadable } from './platform/http/broken-requests.js';
import { fixPropertyOrder, REQUEST_MS, trackConnections } from './platform/http/connections.js';
import { badRequest } from './platform/http/errors.js';
import { serveIcon } from './platform/http/icon.js';
import { MAX_BODY } from './platform/http/json-body.js';
import { namePlugins } from './platform/http/plugin-names.js';
import { newRequestId } from './platform/http/request-id.js';
import {
  type Readiness,
  serveHealth,
  serveMetrics,
  serveReadiness,
} from './platform/observability/health.js';
import { withoutChildren } from './platform/observability/log.js';
import type { HttpMetrics } from './platform/observability/metrics.js';
import { logRequests } from './platform/observability/request-log.js';
import { describeApi } from './platform/openapi/openapi.js';
import { type LabelOptions, labelRoute } from './shipping/label-route.js';
import { describeEvents } from './webhooks/openapi.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** All calls under /api/v1, each with its scope and whether it has a body, so that tests can cover every call. */
    apiRoutes: ApiRoute[];
    /** Fails the health checks from now on but keeps serving, so that the load balancer sends requests elsewhere. */
    drain(): void;
    /** All routes of the server, including pages and forms, so that tests can cover every route. */
    routeTable: { method: string; url: string }[];
  }
}

export interface ApiRoute {
  method: string;
  url: string;
  scope: FastifyContextConfig['scope'];
  body: 'none' | 'optional' | 'required';
}

/** The dependencies that all HTTP servers of this process share. */
export interface ServerOptions {
  log: Logger;
  metrics: HttpMetrics;
  readiness: Readiness;
  publicUrl: string;
  trustedProxies: string[];
}

export interface AppOptions {
  server: ServerOptions;
  /** Whether /readyz and /metrics are served on the public port. */
  publicRoutes: PublicRoutes;
  api: ApiOptions;
  tokens: TokenOptions;
  labels: LabelOptions;
  storage: Storage;
  pages: Omit<PagesOptions, 'readDocument'>;
}

const API_PREFIX = '/api/v1';

/** Builds the public server with all its routes. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { server, publicRoutes, storage } = options;
  const app = buildBareApp(server, guardOf(options.api.guard));
  serveHealth(app, server.readiness);
  if (publicRoutes.readiness) serveReadiness(app, server.readiness);
  if (publicRoutes.metrics) serveMetrics(app, server.metrics.registry);
  const parts = [describeOAuth(server.publicUrl), describeEvents()];
  const readDocument = describeApi(app, server.publicUrl, parts);
  await app.register(api, { ...options.api, prefix: API_PREFIX });
  await app.register(tokenRoutes, options.tokens);
  await app.register(labelRoute, options.labels);
  if (storage instanceof LocalStorage) {
    await app.register(uploadRoute, { storage });
    await app.register(serveMedia, { storage });
    await app.register(serveResized, { storage });
  }
  await app.register(pages, { ...options.pages, readDocument });
  serveIcon(app);
  return app;
}

/** Builds the server for the operator: health, readiness and metrics. A worker process has no other HTTP server. */
export function buildMonitorApp(options: ServerOptions): FastifyInstance {
  const app = buildBareApp(options, (_request, _reply, done) => done());
  serveHealth(app, options.readiness);
  serveReadiness(app, options.readiness);
  serveMetrics(app, options.metrics.registry);
  return app;
}

/** The basis of every server: request ids, log lines, metrics and the error format. */
function buildBareApp(options: ServerOptions, admit: Guard): FastifyInstance {
  const { log, metrics, readiness, publicUrl, trustedProxies } = options;
  const app = Fastify({
    loggerInstance: withoutChildren(log),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    bodyLimit: MAX_BODY,
    trustProxy: trustedProxies,
    requestTimeout: REQUEST_MS,
    http: { requireHostHeader: false },
    clientErrorHandler: refuseUnreadable,
    // Requests that arrive on open connections during shutdown are still answered. Only the health checks return 503.
    return503OnClosing: false,
    // As large as Node's limit for the request line and the headers together, so that even a very long id reaches its
    // route, which responds with 404.
    routerOptions: { maxParamLength: 16_384 },
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) =>
      void refuseBadPath(request, reply),
  }) as unknown as FastifyInstance;

  namePlugins(app);
  app.decorate('apiRoutes', []);
  app.decorate('routeTable', []);
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) app.routeTable.push({ method: each, url });
  });
  fixPropertyOrder(app.server);
  const connections = trackConnections(app.server);
  app.decorate('drain', () => {
    readiness.stopping = true;
    connections.closeAfterAnswers();
  });
  app.addHook('preClose', async () => {
    readiness.stopping = true;
    connections.endWithRequests();
  });

  const refuseBadPath = badPathRefusal(admit, publicUrl);
  logRequests(app, log, metrics);
  sendSafetyHeaders(app, publicUrl);
  refuseBrokenHeads(app);
  answerErrors(app, publicUrl);
  return app;
}

/**
 * Returns the handler for paths that cannot be decoded. No route and no hook runs for them, so the handler adds the
 * usual headers and the log line. Under the API prefix, it also checks the token and the rate limit.
 */
function badPathRefusal(admit: Guard, publicUrl: string) {
  const headers = { ...safetyHeaders(publicUrl), 'cache-control': 'no-store' };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.headers({ ...headers, 'x-request-id': request.id });
    reply.raw.once('finish', () => request.server.logAnswered(request, reply));
    try {
      if (pathOf(request).startsWith(`${API_PREFIX}/`)) await promisify(admit)(request, reply);
      throw badRequest(
        `The path ${pathOf(request)} is not a valid percent-encoded path`,
        'invalid_parameter',
      );
    } catch (error) {
      sendError(publicError(error as FastifyError), request, reply);
    }
  };
}
