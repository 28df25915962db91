import cookie from '@fastify/cookie';
import files from '@fastify/static';
import type { FastifyPluginAsync } from 'fastify';
import { type SignInOptions, signInRoutes } from './accounts/sign-in-routes.js';
import { type ConsoleOptions, consoleRoutes } from './console/routes.js';
import { openCatalogue } from './docs/catalogue.js';
import type { FindDemo } from './docs/demo.js';
import { docsRoutes } from './docs/routes.js';
import { type AuthorizeOptions, authorizeRoutes } from './oauth/authorize-routes.js';
import { type PartnerOptions, partnerRoutes } from './partners/routes.js';
import { notificationRoute } from './payments/sandbox/notification-route.js';
import { paymentRoutes, type SandboxOptions } from './payments/sandbox/routes.js';
import { isVersioned, PUBLIC_FOLDER } from './platform/html/assets.js';
import { servePages } from './platform/html/pages.js';
import { siteRoutes } from './site/routes.js';
import { storefrontRoutes } from './storefront/routes.js';
import type { Storefront } from './storefront/visit.js';
import { shopStyleRoutes } from './stores/style-routes.js';

export interface PagesOptions {
  publicUrl: string;
  /** Reads the OpenAPI document, from which the reference is built. */
  readDocument: () => Promise<object>;
  signIn: SignInOptions;
  authorize: AuthorizeOptions;
  console: ConsoleOptions;
  partners: PartnerOptions;
  demo: FindDemo;
  storefront: Storefront;
  /** Undefined with PAYMENT_GATEWAY=none. The sandbox then has no routes. */
  sandbox: SandboxOptions | undefined;
}

/** The pages for people, with their assets, and the route that receives notifications of the sandbox gateway. */
export const pages: FastifyPluginAsync<PagesOptions> = async (app, options) => {
  const { sandbox } = options;
  await app.register(assets);
  await app.register(shopStyleRoutes);
  if (sandbox) await app.register(notificationRoute, sandbox);
  await app.register(async (scope) => {
    await scope.register(cookie);
    servePages(scope, options.publicUrl);
    await scope.register(signInRoutes, options.signIn);
    await scope.register(authorizeRoutes, options.authorize);
    await scope.register(consoleRoutes, options.console);
    await scope.register(partnerRoutes, options.partners);
    const { publicUrl, readDocument, demo } = options;
    const readCatalogue = openCatalogue(readDocument, publicUrl);
    await scope.register(siteRoutes, { publicUrl, readCatalogue, demo });
    await scope.register(docsRoutes, { publicUrl, readCatalogue, demo });
    await scope.register(storefrontRoutes, { ...options.storefront, prefix: '/s/:slug' });
    if (sandbox) await scope.register(paymentRoutes, sandbox);
  });
};

/** Serves style sheets, scripts and images. Browsers may cache a file for a year if its address contains its hash. */
const assets: FastifyPluginAsync = async (app) => {
  app.addHook('onSend', async (request, reply) => {
    if (reply.statusCode < 400 && isVersioned(request.url))
      reply.header('cache-control', 'public, max-age=31536000, immutable');
  });
  await app.register(files, { root: PUBLIC_FOLDER, prefix: '/assets/', index: false, maxAge: '1h' });
};
