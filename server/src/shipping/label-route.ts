import type {} from '@fastify/swagger';
import type { FastifyPluginAsync } from 'fastify';
import { findOrder } from '../orders/queries.js';
import { ordersOf } from '../orders/storage.js';
import { usesOrders } from '../orders/unavailable.js';
import type { Database } from '../platform/db/database.js';
import { ApiError, notFound } from '../platform/http/errors.js';
import { isId } from '../platform/schema/ids.js';
import { findStore } from '../stores/queries.js';
import { labelPdf } from './label.js';
import type { LabelAddresses } from './label-address.js';
import { findTracking } from './shipments.js';

export interface LabelOptions {
  db: Database;
  labels: LabelAddresses;
}

type LabelRequest = {
  Params: { workspaceId: string; file: string };
  Querystring: { expires?: string; signature?: string };
};

/** Serves labels as PDF. */
export const labelRoute: FastifyPluginAsync<LabelOptions> = async (app, { db, labels }) => {
  app.get<LabelRequest>(
    '/labels/:workspaceId/:file',
    { ...usesOrders({}), schema: { hide: true } },
    async (request, reply) => {
      const { workspaceId, file } = request.params;
      const code = file.replace(/\.pdf$/, '');
      const { expires = '', signature = '' } = request.query;
      if (!isId(workspaceId) || !labels.isGenuine(workspaceId, code, expires, signature)) {
        throw new ApiError(
          403,
          'link_refused',
          'This link is invalid or has expired. Read the shipment to get a new link.',
        );
      }
      const orders = ordersOf(db, workspaceId);
      const tracking = await findTracking(orders, workspaceId, code);
      const order = tracking && (await findOrder(orders, workspaceId, tracking.orderId));
      const store = await findStore(orders, workspaceId);
      if (!order || !store) throw notFound('This label');
      const { street, number, complement, district, city, state, zipCode } = order.shippingAddress;
      const pdf = labelPdf({
        code,
        carrier: tracking.carrier ?? '',
        storeName: store.name,
        orderNumber: order.number,
        recipient: order.customer.name,
        addressLines: [
          `${street}, ${number}${complement ? ` ${complement}` : ''}`,
          district,
          `${city} - ${state}`,
          `CEP ${zipCode}`,
        ],
        invoices: order.invoices,
      });
      return reply
        .headers({ 'Cache-Control': 'private, no-store', 'X-Content-Type-Options': 'nosniff' })
        .type('application/pdf')
        .send(pdf);
    },
  );
};
