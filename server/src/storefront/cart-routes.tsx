import type {} from '@fastify/swagger';
import type { FastifyPluginAsync } from 'fastify';
import { sendPage } from '../platform/html/page.js';
import { type Fields, postedForm } from '../platform/http/forms.js';
import { formRefused, isSameOrigin } from '../platform/http/same-origin.js';
import { isId } from '../platform/schema/ids.js';
import { cartOf, keepCart, lineName, quantityOf, withAdded } from './cart.js';
import { CartPage } from './pages/cart.js';
import { MissingPage } from './pages/missing.js';
import { ProductPage } from './pages/product.js';
import { productAddress } from './product-address.js';
import { cartCsrfToken, checkedCartForm, isSecure, type ShopServices, visitOf } from './visit.js';

export const cartRoutes: FastifyPluginAsync<ShopServices> = async (app, storefront) => {
  const { carts, items, sessions } = storefront;
  const hidden = { schema: { hide: true } };

  app.get('/cart', hidden, async (request, reply) => {
    const cart = await carts.read(request.shop.workspaceId, cartOf(request));
    const csrf = cartCsrfToken(sessions, request, reply);
    return sendPage(reply, <CartPage visit={visitOf(request)} cart={cart} csrf={csrf} />);
  });

  app.post('/cart', hidden, async (request, reply) => {
    // The product page is cached and shared by visitors, so its form has no CSRF token. The origin of the request is
    // checked instead.
    if (!isSameOrigin(request, storefront.publicUrl)) throw formRefused();
    const fields = postedForm(request);
    const { shop } = request;
    const { productId, variantId } = itemOf(fields);
    const item = await items.find(shop.workspaceId, productId);
    const chosen = item?.variations.find(({ id }) => id === variantId);
    if (!item || (chosen === undefined) !== (item.variations.length === 0))
      return sendPage(reply, <MissingPage visit={visitOf(request)} />, 404);
    const quantity = quantityOf(fields.text('quantity').trim());
    const lines = quantity && withAdded(cartOf(request), { productId, variantId, quantity });
    if (!lines) {
      const fault = quantity === undefined ? 'quantity' : 'full';
      const visit = visitOf(request);
      const canonical = `${storefront.publicUrl}${productAddress(shop.slug, item)}`;
      return sendPage(
        reply,
        <ProductPage visit={visit} item={item} chosen={chosen} fault={fault} canonical={canonical} />,
        422,
      );
    }
    keepCart(reply, shop, lines, isSecure(storefront));
    return reply.redirect(`/s/${shop.slug}/cart`, 303);
  });

  /** The whole cart is one form, so its quantities are saved whichever button is pressed. */
  app.post('/cart/lines', hidden, async (request, reply) => {
    const fields = checkedCartForm(sessions, request);
    const { slug } = request.shop;
    const removed = fields.text('remove');
    const lines = cartOf(request).flatMap((line) => {
      if (lineName(line) === removed) return [];
      // An invalid number leaves the quantity unchanged.
      const quantity = quantityOf(fields.text(`quantity-${lineName(line)}`).trim()) ?? line.quantity;
      return [{ ...line, quantity }];
    });
    keepCart(reply, request.shop, lines, isSecure(storefront));
    const next = fields.get('action') === 'checkout' && removed === '' ? 'checkout' : 'cart';
    return reply.redirect(`/s/${slug}/${next}`, 303);
  });
};

function itemOf(fields: Fields): { productId: string; variantId: string | null } {
  const variantId = fields.text('variant');
  return { productId: fields.text('product'), variantId: isId(variantId) ? variantId : null };
}
