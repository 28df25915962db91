import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { originOfApp } from '../events/names.js';
import { Order, ShippingChange } from '../orders/order-shapes.js';
import { findOrder } from '../orders/queries.js';
import { usesOrders } from '../orders/unavailable.js';
import type { Clock } from '../platform/clock.js';
import { DryRunQuery } from '../platform/http/dry-run.js';
import { notFound } from '../platform/http/errors.js';
import { Type } from '../platform/schema/type.js';
import { createShipment } from './create-shipment.js';
import type { LabelAddresses } from './label-address.js';
import * as shape from './schema.js';
import { findShipment, findTracking, moveShipping } from './shipments.js';

export interface ShippingOptions {
  clock: Clock;
  labels: LabelAddresses;
}

export const shippingRoutes: FastifyPluginAsyncTypebox<ShippingOptions> = async (app, { clock, labels }) => {
  app.patch(
    '/orders/:id/shipping-status',
    {
      ...usesOrders({ scope: 'orders:write' }),
      schema: {
        operationId: 'changeShippingStatus',
        tags: ['Orders'],
        summary: 'Change the shipping status of an order',
        description:
          'Allowed changes: pending → preparing, sent · preparing → pending, sent · sent → in_transit, delivered, returned · in_transit → delivered, returned · delivered → returned. Any other change is a 409, and so is a change to sent if the order is neither paid nor partial_refunded. The same status with another code corrects the code, unless the status is canceled. Emits order.shipped.',
        params: Type.Object({ id: Type.String({ description: 'Order id' }) }),
        querystring: DryRunQuery,
        body: ShippingChange,
        response: { 200: Order },
      },
    },
    async (request) => {
      const { workspaceId } = request.credential;
      const { id } = request.params;
      return request.store.transaction(async (tx) => {
        await moveShipping(tx, workspaceId, originOfApp(request.credential), id, request.body);
        return (await findOrder(tx, workspaceId, id))!;
      });
    },
  );

  app.post(
    '/shipments',
    {
      ...usesOrders({ scope: 'shipping:write', bodyHasId: true }),
      schema: {
        operationId: 'createShipment',
        tags: ['Shipments'],
        summary: 'Create a label for an order',
        description:
          'Creates the label for the delivery service that the buyer paid for, sets codeShipping, and sets statusShipping to preparing. Rejected with 409 if the order already has a shipment or a manually entered tracking code (shipment_exists), if it was already sent without a code (illegal_transition), if it is neither paid nor partial_refunded (not_paid), or if it has only digital products (nothing_to_ship). Emits order.shipped.',
        body: shape.NewShipment,
        response: { 201: shape.Shipment },
      },
    },
    async (request, reply) => {
      const { workspaceId } = request.credential;
      const { orderId, carrier } = request.body;
      const shipment = await request.store.transaction((tx) =>
        createShipment(tx, clock, workspaceId, originOfApp(request.credential), orderId, carrier),
      );
      return reply.code(201).send({ ...shipment, labelUrl: labels.urlOf(workspaceId, shipment.code) });
    },
  );

  app.get(
    '/shipments/:code',
    {
      ...usesOrders({ scope: 'shipping:read' }),
      schema: {
        operationId: 'getShipment',
        tags: ['Shipments'],
        summary: 'Read a shipment',
        description:
          'Each call returns a new labelUrl, valid for seven days. Only for labels created with POST /shipments: a manually entered code has tracking but no label, and returns 404 here.',
        params: Type.Object({ code: Type.String() }),
        response: { 200: shape.Shipment },
      },
    },
    async (request) => {
      const { workspaceId } = request.credential;
      const { code } = request.params;
      const shipment = isStorable(code) ? await findShipment(request.store, workspaceId, code) : undefined;
      if (!shipment) throw notFound('A label for shipment', code);
      return { ...shipment, labelUrl: labels.urlOf(workspaceId, code) };
    },
  );

  app.get(
    '/shipments/:code/tracking',
    {
      ...usesOrders({ scope: 'shipping:read', etag: true }),
      schema: {
        operationId: 'trackShipment',
        tags: ['Shipments'],
        summary: 'Track a shipment',
        description:
          'Works for labels created with POST /shipments and for codes that were entered manually.',
        params: Type.Object({ code: Type.String() }),
        response: { 200: shape.Tracking },
      },
    },
    async (request) => {
      const { code } = request.params;
      const tracking = isStorable(code)
        ? await findTracking(request.store, request.credential.workspaceId, code)
        : undefined;
      if (!tracking) throw notFound('Shipment', code);
      return tracking;
    },
  );
};

/** PostgreSQL stores neither NUL nor unpaired surrogates, so no shipment has such a code. */
function isStorable(code: string): boolean {
  return !code.includes('\0') && code.isWellFormed();
}
