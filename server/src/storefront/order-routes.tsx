import type {} from '@fastify/swagger';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { openPayment } from '../checkout/open-payment.js';
import { changePayment } from '../orders/lifecycle.js';
import { findOrder } from '../orders/queries.js';
import type { OrderRecord } from '../orders/records.js';
import { ordersOf } from '../orders/storage.js';
import { sendPage } from '../platform/html/page.js';
import { postedForm, queryFields } from '../platform/http/forms.js';
import { findTracking } from '../shipping/shipments.js';
import { readOtherPayment } from './checkout-form.js';
import { coversOf } from './covers.js';
import { forgetOpenOrder, rememberOpenOrder } from './open-order.js';
import { MissingOrderPage, UnpayableOrderPage } from './pages/missing.js';
import { OrderPage } from './pages/order.js';
import { isSecure, type Storefront, visitOf } from './visit.js';

type OrderRequest = FastifyRequest<{ Params: { id: string } }>;

/** The buyer's order page and its forms. The response is the same for a wrong key and for an unknown order. */
export const shopOrderRoutes: FastifyPluginAsync<Storefront> = async (app, storefront) => {
  const { db, clock, orderLinks, gateway, mediaUrl } = storefront;
  const hidden = { schema: { hide: true } };

  const find = async (
    { shop, params: { id } }: OrderRequest,
    key: string,
  ): Promise<OrderRecord | undefined> =>
    orderLinks.isKey(shop.workspaceId, id, key)
      ? findOrder(ordersOf(db, shop.workspaceId), shop.workspaceId, id)
      : undefined;

  app.get<{ Params: { id: string } }>('/orders/:id', hidden, async (request, reply) => {
    const visit = visitOf(request);
    const orderKey = queryFields(request).text('key');
    const order = await find(request, orderKey);
    if (!order) return sendPage(reply, <MissingOrderPage visit={visit} />, 404);
    const { codeShipping } = order;
    const tracking =
      codeShipping === null
        ? undefined
        : await findTracking(ordersOf(db, visit.shop.workspaceId), visit.shop.workspaceId, codeShipping);
    // The link to a pending order is remembered, so that the buyer can return to the order from the shop.
    if (order.status === 'pending')
      rememberOpenOrder(reply, visit.shop, { id: order.id, key: orderKey }, isSecure(storefront));
    else forgetOpenOrder(request, reply, order.id, isSecure(storefront));
    const { workspaceId } = visit.shop;
    const covers = await coversOf(db.store(workspaceId), workspaceId, order.items, mediaUrl);
    return sendPage(
      reply,
      // Another order may have the same manually entered code. That order's tracking must not be shown to this buyer.
      <OrderPage
        visit={visit}
        order={order}
        tracking={tracking?.orderId === order.id ? tracking : undefined}
        covers={covers}
        orderKey={orderKey}
        canPay={gateway !== undefined}
        isDeclined={queryFields(request).get('payment') === 'declined'}
      />,
    );
  });

  app.post<{ Params: { id: string } }>('/orders/:id/pay', hidden, async (request, reply) => {
    const fields = postedForm(request);
    const order = await find(request, fields.text('key'));
    if (!order) return sendPage(reply, <MissingOrderPage visit={visitOf(request)} />, 404);
    if (order.status !== 'pending') return reply.redirect(orderLinks.urlOf(request.shop, order.id), 303);
    if (!gateway) return sendPage(reply, <UnpayableOrderPage visit={visitOf(request)} />, 409);
    const other = readOtherPayment(fields);
    if (other) {
      const tx = ordersOf(db, request.shop.workspaceId).autocommit;
      await changePayment(tx, clock, request.shop.workspaceId, order.id, other);
    }
    const payment = { ...order.payment, ...other };
    const services = { ...storefront, gateway };
    const { paymentUrl } = await openPayment(services, request.shop, { ...order, payment });
    return reply.redirect(paymentUrl, 303);
  });
};
