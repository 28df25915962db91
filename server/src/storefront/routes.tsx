import type {} from '@fastify/swagger';
import type { FastifyError, FastifyPluginAsync } from 'fastify';
import { buyerLanguageOf, storeLanguage } from '../platform/html/buyer-language.js';
import { contentPolicy } from '../platform/html/content-policy.js';
import { sendErrorPage } from '../platform/html/error-page.js';
import { sendPage } from '../platform/html/page.js';
import { pageError } from '../platform/html/pages.js';
import { CartReads } from './cart-reads.js';
import { cartRoutes } from './cart-routes.js';
import { checkoutRoutes } from './checkout-routes.js';
import { findOrderRoutes } from './find-order-routes.js';
import { ItemReads } from './item-reads.js';
import { shopOrderRoutes } from './order-routes.js';
import { FailedPage, MissingPage, NoShopPage } from './pages/missing.js';
import { productListRoutes } from './product-list-routes.js';
import { productRoutes } from './product-routes.js';
import { isSecure, type ShopServices, type Storefront, visitOf } from './visit.js';
import { VisitedShops } from './visited-shop.js';

/** The shop for buyers: /s/{slug} and everything below it. */
export const storefrontRoutes: FastifyPluginAsync<Storefront> = async (app, storefront) => {
  const { db, mediaUrl, isTestShop } = storefront;
  const shops = new VisitedShops(db.system('shops'));
  const services: ShopServices = {
    ...storefront,
    items: new ItemReads(db, mediaUrl),
    carts: new CartReads(db, mediaUrl),
  };
  const hidden = { schema: { hide: true } };
  // Images may come from any host, because merchants can attach them by URL.
  const policy = contentPolicy({
    images: "'self' https: http:",
    formsLeadTo: [storefront.publicUrl],
    scripts: true,
  });

  app.decorateRequest('shop');
  app.decorateRequest('isTestShop', isTestShop);
  app.decorateRequest('resizedFrom', storefront.resizesImages ? mediaUrl : undefined);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('Content-Security-Policy', policy);
    // With the default, no-referrer, browsers would send "null" as the Origin of a form submission.
    reply.header('Referrer-Policy', 'same-origin');
    const { slug } = request.params as { slug: string };
    const shop = await shops.find(slug, { withVersion: request.routeOptions.config.readsVersion === true });
    if (!shop) {
      return sendPage(reply, <NoShopPage language={buyerLanguageOf(request)} />, 404);
    }
    request.shop = shop;
    const [path = '', query] = request.url.split('?', 2) as [string, string?];
    if (request.method === 'GET' && path.endsWith('/'))
      return reply.redirect(`${path.replace(/\/+$/, '')}${query === undefined ? '' : `?${query}`}`, 301);
    if (request.method === 'GET' && storeLanguage(request, reply, isSecure(storefront))) return reply;
  });

  app.setErrorHandler((thrown: FastifyError, request, reply) => {
    const error = pageError(thrown, request);
    if (!request.shop) return sendErrorPage(error, request, reply);
    if (error.more.headers) reply.headers(error.more.headers);
    return sendPage(
      reply,
      <FailedPage visit={visitOf(request)} error={error} requestId={request.id} />,
      error.status,
    );
  });

  // These functions are called directly instead of registered, for the reason given in api.ts.
  await productListRoutes(app, storefront);
  await productRoutes(app, services);
  await cartRoutes(app, services);
  await checkoutRoutes(app, services);
  await findOrderRoutes(app, storefront);
  await shopOrderRoutes(app, storefront);

  app.get('/*', hidden, async (request, reply) =>
    sendPage(reply, <MissingPage visit={visitOf(request)} />, 404),
  );
};
