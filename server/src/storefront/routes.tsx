import type {} from '@fastify/swagger';
import type { FastifyPluginAsync } from 'fastify';
import { isTemporary } from '../platform/db/unavailable.js';
import { buyerLanguageOf, keepLanguage } from '../platform/html/buyer-language.js';
import { contentPolicy } from '../platform/html/content-policy.js';
import { sendPage } from '../platform/html/page.js';
import { queryFields } from '../platform/http/forms.js';
import { networkOf } from '../platform/http/network.js';
import { findShop } from '../stores/queries.js';
import { cartRoutes } from './cart-routes.js';
import { checkoutRoutes } from './checkout-routes.js';
import { previewFreight } from './freight-preview.js';
import { chosenVariation, findItem } from './item.js';
import { shopOrderRoutes } from './order-routes.js';
import { MissingPage, NoShopPage } from './pages/missing.js';
import { ProductPage } from './pages/product.js';
import { ProductListPage } from './pages/product-list.js';
import { SearchRefusedPage } from './pages/search-refused.js';
import { categoriesOnSale, listShopProducts, type ProductList } from './product-list.js';
import { SearchLimit } from './search-limit.js';
import { cartProof, isSecure, type Storefront, visitOf } from './visit.js';

const MAX_SEARCH_LENGTH = 100;

/** The shop for buyers: /s/{slug} and everything below it. */
export const storefrontRoutes: FastifyPluginAsync<Storefront> = async (app, storefront) => {
  const { db, lists, sessions, mediaUrl, isTestShop } = storefront;
  const hidden = { schema: { hide: true } };
  const searchLimit = new SearchLimit(storefront.clock);
  // The same policy as on other pages, but images may come from any host, because merchants publish them elsewhere.
  const policy = contentPolicy({ images: "'self' https: http:", formsLeadTo: [storefront.publicUrl] });

  app.decorateRequest('shop');
  app.decorateRequest('isTestShop', isTestShop);
  app.decorateRequest('resizedFrom', storefront.resizesImages ? mediaUrl : undefined);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('Content-Security-Policy', policy);
    const shop = await findShop(db.system('shops'), (request.params as { slug: string }).slug);
    if (!shop) {
      return sendPage(reply, <NoShopPage language={buyerLanguageOf(request)} />, 404);
    }
    request.shop = shop;
    if (request.method === 'GET' && keepLanguage(request, reply, isSecure(storefront))) return reply;
  });

  app.get('/', hidden, async (request, reply) => {
    const { workspaceId } = request.shop;
    const query = queryFields(request);
    const categories = await categoriesOnSale(db.store(workspaceId), workspaceId);
    const asked = {
      // PostgreSQL texts cannot contain NUL, so it cannot match anything.
      search: query.text('q').replaceAll('\0', '').trim().slice(0, MAX_SEARCH_LENGTH).toWellFormed(),
      category: categories.find(({ id }) => String(id) === query.text('category')),
      page: /^[1-9]\d{0,4}$/.test(query.text('page')) ? Number(query.text('page')) : 1,
    };
    const refusal = asked.search === '' ? undefined : searchLimit.refuse(networkOf(request.ip));
    if (refusal) {
      reply.header('Retry-After', String(refusal.retryAfterSeconds));
      return sendPage(reply, <SearchRefusedPage visit={visitOf(request)} reason="tooMany" />, 429);
    }
    let list: ProductList;
    try {
      const access = asked.search === '' ? db.store(workspaceId) : db.search(workspaceId);
      list = await listShopProducts(access, lists, workspaceId, mediaUrl, asked);
    } catch (error) {
      if (asked.search === '' || !isTemporary(error)) throw error;
      request.log.warn({ requestId: request.id, err: error }, 'search refused');
      reply.header('Retry-After', '1');
      return sendPage(reply, <SearchRefusedPage visit={visitOf(request)} reason="busy" />, 503);
    }
    const shown = { ...asked, page: Math.min(asked.page, list.pages) };
    if (shown.page !== asked.page) return sendPage(reply, <MissingPage visit={visitOf(request)} />, 404);
    return sendPage(
      reply,
      <ProductListPage
        visit={visitOf(request)}
        request={shown}
        list={list}
        categories={categories}
        origin={storefront.publicUrl}
      />,
    );
  });

  app.get<{ Params: { id: string } }>('/products/:id', hidden, async (request, reply) => {
    const visit = visitOf(request);
    const item = await findItem(
      db.store(visit.shop.workspaceId),
      visit.shop.workspaceId,
      request.params.id,
      mediaUrl,
    );
    if (!item) return sendPage(reply, <MissingPage visit={visit} />, 404);
    const chosen = chosenVariation(item, queryFields(request).get('v'));
    const csrf = cartProof(sessions, request, reply);
    const zip = queryFields(request).get('zip');
    const { workspaceId } = visit.shop;
    const freight =
      zip === undefined
        ? undefined
        : await previewFreight(db.store(workspaceId), workspaceId, item, chosen, zip);
    const { publicUrl: origin } = storefront;
    return sendPage(
      reply,
      <ProductPage visit={visit} item={item} chosen={chosen} csrf={csrf} freight={freight} origin={origin} />,
    );
  });

  // The options contain the prefix of this plugin, which must not be applied twice.
  const below = { ...storefront, prefix: '' };
  await app.register(cartRoutes, below);
  await app.register(checkoutRoutes, below);
  await app.register(shopOrderRoutes, below);

  app.get('/*', hidden, async (request, reply) =>
    sendPage(reply, <MissingPage visit={visitOf(request)} />, 404),
  );
};
