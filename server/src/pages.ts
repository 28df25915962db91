import { fileURLToPath } from 'node:url';
import cookie from '@fastify/cookie';
import files from '@fastify/static';
import type { FastifyPluginAsync } from 'fastify';
import { signInRoutes } from './accounts/sign-in-routes.js';
import { consoleRoutes } from './console/routes.js';
import type { Context } from './context.js';
import { authorizeRoutes } from './oauth/authorize-routes.js';
import { partnerRoutes } from './partners/routes.js';
import { notificationRoute } from './payments/notification-route.js';
import { paymentRoutes } from './payments/sandbox/routes.js';
import { servePages } from './platform/html/pages.js';
import { storefrontRoutes } from './storefront/routes.js';

const PUBLIC = fileURLToPath(new URL('../public/', import.meta.url));

/** Everything that a person meets in a browser. */
export const pages: FastifyPluginAsync<{ context: Context }> = async (app, { context }) => {
  const { db, clock, sessions, flash, credentials, publicUrl } = context;
  await app.register(files, { root: PUBLIC, prefix: '/assets/', index: false, maxAge: '1h' });
  const { sandbox, wake } = context;
  if (sandbox) await app.register(notificationRoute, { gateway: sandbox, wake });
  await app.register(async (scope) => {
    await scope.register(cookie);
    servePages(scope, publicUrl);
    await scope.register(signInRoutes, { db: db.system('accounts'), clock, sessions });
    await scope.register(authorizeRoutes, { db, clock, sessions, publicUrl });
    await scope.register(consoleRoutes, { db, clock, sessions, credentials });
    await scope.register(partnerRoutes, { db: db.system('accounts'), clock, sessions, flash });
    await scope.register(storefrontRoutes, { ...context, prefix: '/s/:slug' });
    if (sandbox) await scope.register(paymentRoutes, { gateway: sandbox, wake });
  });
};
