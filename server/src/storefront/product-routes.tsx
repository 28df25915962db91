import type {} from '@fastify/swagger';
import type { FastifyPluginAsync } from 'fastify';
import { sendPage } from '../platform/html/page.js';
import { queryFields } from '../platform/http/forms.js';
import { isId } from '../platform/schema/ids.js';
import { previewFreight } from './freight-preview.js';
import { chosenVariation } from './item.js';
import { MissingPage } from './pages/missing.js';
import { ProductPage } from './pages/product.js';
import { idInAddress, productPart } from './product-address.js';
import { mayBeCached, sendCached, sendShared } from './shared-page.js';
import { type ShopServices, visitOf } from './visit.js';

export const productRoutes: FastifyPluginAsync<ShopServices> = async (app, storefront) => {
  const { items, pages, publicUrl } = storefront;

  app.get<{ Params: { part: string } }>(
    '/products/:part',
    { schema: { hide: true } },
    async (request, reply) => {
      const { workspaceId, slug } = request.shop;
      const db = storefront.db.store(workspaceId);
      const id = idInAddress(request.params.part);
      if (id === undefined) return sendPage(reply, <MissingPage visit={visitOf(request)} />, 404);
      const fields = queryFields(request);
      const [variantId = '', zip] = [fields.get('v'), fields.get('zip')];
      const path = `/s/${slug}/products/${request.params.part}`;
      const address = addressOf(path, variantId, zip);
      const visit = { ...visitOf(request), address };
      const key = `${id} ${isId(variantId) ? variantId : ''}`;
      // Reading the version first is worthwhile only if some version of the page is cached.
      if (zip === undefined && mayBeCached(visit, { cache: pages, key })) {
        const current = await items.findVersion(workspaceId, id);
        const isCanonical = current && productPart(id, current.name) === request.params.part;
        const kept =
          isCanonical && sendCached(request, reply, visit, { cache: pages, key, version: current.version });
        if (kept) return kept;
      }
      const item = await items.find(workspaceId, id);
      if (!item) return sendPage(reply, <MissingPage visit={visit} />, 404);
      const part = productPart(id, item.name);
      if (part !== request.params.part) {
        // Redirects addresses without the current name, for example those from before the product was renamed.
        const [, query] = request.url.split('?', 2);
        return reply.redirect(`/s/${slug}/products/${part}${query ? `?${query}` : ''}`, 301);
      }
      const chosen = chosenVariation(item, variantId);
      const freight =
        zip === undefined ? undefined : await previewFreight(db, workspaceId, item, chosen, zip);
      const canonical = `${publicUrl}${path}`;
      const content = (
        <ProductPage visit={visit} item={item} chosen={chosen} freight={freight} canonical={canonical} />
      );
      if (freight) return sendPage(reply, content);
      // An unknown variation id must not create a cache entry, because there are arbitrarily many.
      const isCacheable = variantId === '' || chosen?.id === variantId;
      const { version } = item;
      return isCacheable
        ? sendShared(request, reply, visit, { cache: pages, key, version }, content)
        : sendPage(reply, content);
    },
  );
};

/** Returns the address of the page with only the parameters that the page understands. */
function addressOf(path: string, variantId: string, zip: string | undefined): string {
  const choice = [...(isId(variantId) ? [['v', variantId]] : []), ...(zip ? [['zip', zip]] : [])];
  return choice.length > 0 ? `${path}?${new URLSearchParams(choice)}` : path;
}
