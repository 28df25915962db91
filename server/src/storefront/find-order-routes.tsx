import type {} from '@fastify/swagger';
import type { FastifyPluginAsync } from 'fastify';
import { findOrderId } from '../orders/queries.js';
import { ordersOf } from '../orders/storage.js';
import { sendPage } from '../platform/html/page.js';
import { postedForm } from '../platform/http/forms.js';
import { networkOf } from '../platform/http/network.js';
import { FindOrderPage } from './pages/find-order.js';
import { RequestLimit } from './request-limit.js';
import { type Storefront, visitOf } from './visit.js';

const WINDOW_MS = 10 * 60_000;
/**
 * Order numbers are consecutive. To prevent guessing the number for a known e-mail, attempts within WINDOW_MS are
 * limited per network and, across all networks, per e-mail and shop.
 */
const PER_NETWORK = 10;
const PER_EMAIL = 20;
const MAX_EMAIL_LENGTH = 254;

/** Lets a buyer find an order without its link. */
export const findOrderRoutes: FastifyPluginAsync<Storefront> = async (app, { db, clock, orderLinks }) => {
  const hidden = { schema: { hide: true } };
  const perNetwork = new RequestLimit(clock, PER_NETWORK, WINDOW_MS);
  const perEmail = new RequestLimit(clock, PER_EMAIL, WINDOW_MS);

  app.get('/orders', hidden, async (request, reply) =>
    sendPage(reply, <FindOrderPage visit={visitOf(request)} />),
  );

  // POST keeps the e-mail out of URLs and logs. The request changes nothing, so it needs no CSRF token.
  app.post('/orders', hidden, async (request, reply) => {
    const visit = visitOf(request);
    const { shop } = request;
    const fields = postedForm(request);
    const typed = {
      number: fields.text('number').trim().slice(0, 20),
      email: fields.text('email').trim().slice(0, MAX_EMAIL_LENGTH).toWellFormed(),
    };
    const address = typed.email.toLowerCase();
    const refusal =
      perNetwork.refuse(networkOf(request.ip)) ?? perEmail.refuse(`${shop.workspaceId} ${address}`);
    if (refusal) {
      reply.header('Retry-After', String(refusal.retryAfterSeconds));
      return sendPage(reply, <FindOrderPage visit={visit} typed={typed} fault="tooMany" />, 429);
    }
    const number = /^#?(\d{1,15})$/.exec(typed.number)?.[1];
    const id =
      number && address !== '' && !address.includes('\0')
        ? await findOrderId(ordersOf(db, shop.workspaceId), shop.workspaceId, Number(number), address)
        : undefined;
    // An unknown number and a wrong e-mail get the same response, so that a guess reveals nothing.
    if (!id) return sendPage(reply, <FindOrderPage visit={visit} typed={typed} fault="unknown" />, 422);
    return reply.redirect(orderLinks.urlOf(shop, id), 303);
  });
};
