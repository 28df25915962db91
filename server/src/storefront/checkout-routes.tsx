import { randomBytes } from 'node:crypto';
import type {} from '@fastify/swagger';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { checkedForm } from '../accounts/forms.js';
import { checkOut } from '../checkout/checkout.js';
import { deliveryOptions } from '../checkout/delivery-options.js';
import { priceTag } from '../checkout/price.js';
import type { Refusal } from '../checkout/refused.js';
import { ShopUses, WINDOW_MS } from '../checkout/shop-use.js';
import { sendPage } from '../platform/html/page.js';
import { queryFields } from '../platform/http/forms.js';
import { networkOf } from '../platform/http/network.js';
import { cartOf, keepCart } from './cart.js';
import { type CheckoutForm, NOTHING_TYPED, readCheckoutForm, type Typed } from './checkout-form.js';
import { rememberOpenOrder } from './open-order.js';
import { type CheckoutNotice, CheckoutPage } from './pages/checkout.js';
import { NoOrdersPage } from './pages/missing.js';
import { PostalCodePage } from './pages/postal-code.js';
import { placeOf, readPostalCode } from './postal-codes.js';
import { isSecure, type ShopServices, visitOf } from './visit.js';

const CHECKOUT_ID = /^[A-Za-z0-9_-]{22}$/;
const NOTICES: Record<Refusal, { notice: CheckoutNotice; status: number }> = {
  empty: { notice: 'unavailable', status: 409 },
  changed: { notice: 'changed', status: 409 },
  too_much: { notice: 'tooMuch', status: 409 },
  too_many_units: { notice: 'tooManyUnits', status: 409 },
  address_limit: { notice: 'tooManyOrders', status: 429 },
  shop_limit: { notice: 'shopBusy', status: 429 },
};

export const checkoutRoutes: FastifyPluginAsync<ShopServices> = async (app, storefront) => {
  const { carts, clock, sessions, wake, gateway } = storefront;
  const shopUses = new ShopUses(clock);
  const hidden = { schema: { hide: true } };

  app.get('/checkout', hidden, async (request, reply) => {
    if (!gateway) return sendPage(reply, <NoOrdersPage visit={visitOf(request)} />, 409);
    const zip = queryFields(request).get('zip');
    const postalCode = zip === undefined ? { value: '' } : readPostalCode(zip);
    if ('fault' in postalCode) {
      const page = (
        <PostalCodePage visit={visitOf(request)} zip={zip?.slice(0, 20) ?? ''} fault={postalCode.fault} />
      );
      return sendPage(reply, page, 422);
    }
    const form: CheckoutForm = { typed: withPlace({ ...NOTHING_TYPED, zip: postalCode.value }), faults: {} };
    return show(request, reply, { checkoutId: randomBytes(16).toString('base64url'), form });
  });

  app.post('/checkout', hidden, async (request, reply) => {
    if (!gateway) return sendPage(reply, <NoOrdersPage visit={visitOf(request)} />, 409);
    const { shop } = request;
    const fields = checkedForm(sessions, request, (form) => purposeOf(request, form.text('checkout')));
    const checkoutId = fields.text('checkout');
    const form = readCheckoutForm(fields);
    if (fields.get('action') === 'quote')
      return show(request, reply, {
        checkoutId,
        form: { typed: withPlace(form.typed), faults: zipFaultOf(form) },
      });
    if (!form.order) return show(request, reply, { checkoutId, form, status: 422 });
    const outcome = await checkOut({ ...storefront, gateway }, shop, {
      ...form.order,
      checkoutId,
      lines: cartOf(request),
      agreed: fields.text('agreed'),
      limited: { network: networkOf(request.ip), shopUses },
    });
    if ('refused' in outcome) {
      const refusal = NOTICES[outcome.refused];
      if (refusal.status === 429) reply.header('Retry-After', String(WINDOW_MS / 1000));
      return show(request, reply, { checkoutId, form, ...refusal });
    }
    if ('faults' in outcome)
      return show(request, reply, { checkoutId, form, notice: 'unavailable', status: 409 });
    wake.poke();
    keepCart(reply, shop, [], isSecure(storefront));
    const { orderId: id } = outcome;
    const key = storefront.orderLinks.keyOf(shop.workspaceId, id);
    rememberOpenOrder(reply, shop, { id, key }, isSecure(storefront));
    return reply.redirect(outcome.paymentUrl, 303);
  });

  /**
   * Shows the checkout form for the current cart. Redirects to the cart if it is empty or cannot be bought. If the
   * postal code is missing and `page` has no error status, shows the page that asks for the code.
   */
  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    page: { checkoutId: string; form: CheckoutForm; notice?: CheckoutNotice; status?: number },
  ): Promise<FastifyReply> {
    const { checkoutId, form, notice, status } = page;
    const { shop } = request;
    const cart = await carts.read(shop.workspaceId, cartOf(request));
    if (cart.lines.length === 0 || !cart.sellable) return reply.redirect(`/s/${shop.slug}/cart`, 303);
    const visit = visitOf(request);
    if (form.typed.zip === '' && status === undefined)
      return sendPage(reply, <PostalCodePage visit={visit} zip="" />);
    const options = deliveryOptions(form.typed.zip, cart.items) ?? [];
    const csrf = sessions.csrfToken(request, reply, purposeOf(request, checkoutId));
    const hidden = { csrf, checkout: checkoutId, agreed: priceTag(cart.items, options) };
    return sendPage(
      reply,
      <CheckoutPage
        visit={visit}
        cart={cart}
        options={options}
        form={form}
        hidden={hidden}
        notice={notice}
      />,
      status,
    );
  }
};

/** Fills in the state and the city, each if the postal code determines it and the buyer has not entered it. */
function withPlace(typed: Typed): Typed {
  const { state = '', city = '' } = placeOf(typed.zip) ?? {};
  return { ...typed, state: typed.state || state, city: typed.city || city };
}

/** Identifies what the form is valid for: one order in this shop. The CSRF token also binds the form to the browser. */
function purposeOf({ shop }: FastifyRequest, checkoutId: string): string {
  // No token is ever issued for 'none', so a form whose checkout id has the wrong format is rejected.
  return CHECKOUT_ID.test(checkoutId) ? `checkout\n${shop.workspaceId}\n${checkoutId}` : 'none';
}

function zipFaultOf({ faults: { zip } }: CheckoutForm): CheckoutForm['faults'] {
  return zip ? { zip } : {};
}
