import type {} from '@fastify/swagger';
import type { FastifyPluginAsync } from 'fastify';
import { isTemporary } from '../platform/db/unavailable.js';
import { sendPage } from '../platform/html/page.js';
import { queryFields } from '../platform/http/forms.js';
import { networkOf } from '../platform/http/network.js';
import { categoriesOfShop } from './categories.js';
import { MissingPage } from './pages/missing.js';
import { ProductListPage } from './pages/product-list.js';
import { SearchRefusedPage } from './pages/search-refused.js';
import { listShopProducts, type ProductList } from './product-list.js';
import { productListAddress, readProductListRequest } from './product-list-request.js';
import { RequestLimit } from './request-limit.js';
import { sendCached, sendShared } from './shared-page.js';
import { type Storefront, visitOf } from './visit.js';

/** The limit for one client network, across all shops. */
const SEARCHES_PER_MINUTE = 60;

export const productListRoutes: FastifyPluginAsync<Storefront> = async (app, storefront) => {
  const { db, lists, mediaUrl, pages, publicUrl } = storefront;
  const searchLimit = new RequestLimit(storefront.clock, SEARCHES_PER_MINUTE, 60_000);

  app.get('/', { schema: { hide: true }, config: { readsVersion: true } }, async (request, reply) => {
    const { workspaceId, slug, version } = request.shop;
    const asked = readProductListRequest(queryFields(request));
    // Uses the canonical address, because one cached page serves all spellings of it.
    const visit = { ...visitOf(request), address: productListAddress(slug, asked) };
    // Searches and price ranges are not cached, because visitors can enter any number of different ones.
    const shared =
      version !== null && asked.search === '' && asked.min === undefined && asked.max === undefined;
    const page = shared ? { cache: pages, key: visit.address, version } : undefined;
    const kept = page && sendCached(request, reply, visit, page);
    if (kept) return kept;
    const refusal = asked.search === '' ? undefined : searchLimit.refuse(networkOf(request.ip));
    if (refusal) {
      reply.header('Retry-After', String(refusal.retryAfterSeconds));
      return sendPage(reply, <SearchRefusedPage visit={visit} reason="tooMany" />, 429);
    }
    const categories = await categoriesOfShop(db.store(workspaceId), workspaceId);
    const category = categories.find(({ id }) => id === asked.category);
    if (asked.category !== undefined && !category) return sendPage(reply, <MissingPage visit={visit} />, 404);
    let list: ProductList;
    try {
      const access = asked.search === '' ? db.store(workspaceId) : db.search(workspaceId);
      list = await lists.read(workspaceId, access, (from, memory) =>
        listShopProducts(from, memory, workspaceId, mediaUrl, asked, category),
      );
    } catch (error) {
      if (asked.search === '' || !isTemporary(error)) throw error;
      request.log.warn({ requestId: request.id, err: error }, 'search refused');
      reply.header('Retry-After', '1');
      return sendPage(reply, <SearchRefusedPage visit={visit} reason="busy" />, 503);
    }
    if (asked.page > list.pages) return sendPage(reply, <MissingPage visit={visit} />, 404);
    const content = (
      <ProductListPage
        visit={visit}
        request={asked}
        list={list}
        categories={categories.filter(({ isUsed }) => isUsed)}
        category={category}
        origin={publicUrl}
      />
    );
    return page ? sendShared(request, reply, visit, page, content) : sendPage(reply, content);
  });
};
