import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { originOfApp } from '../events/names.js';
import { notFound } from '../platform/http/errors.js';
import { Type } from '../platform/schema/type.js';
import * as shape from './invoice-shapes.js';
import { addInvoice, listInvoices, removeInvoice } from './invoices.js';
import { usesOrders } from './unavailable.js';

const ofOrder = Type.Object({ id: Type.String({ description: 'Order id' }) });
const ofInvoice = Type.Object({
  id: Type.String({ description: 'Order id' }),
  key: Type.String({ description: 'Access key of the invoice' }),
});

export const invoiceRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/orders/:id/invoices',
    {
      ...usesOrders({ scope: 'orders:read' }),
      schema: {
        operationId: 'listInvoices',
        tags: ['Orders'],
        summary: 'List the invoices of an order',
        description: 'Oldest first. The order contains the same list.',
        params: ofOrder,
        response: { 200: shape.InvoiceList },
      },
    },
    async (request) => {
      const { id } = request.params;
      const invoices = await listInvoices(request.store, request.credential.workspaceId, id);
      if (!invoices) throw notFound('Order', id);
      return { data: invoices };
    },
  );

  app.post(
    '/orders/:id/invoices',
    {
      ...usesOrders({ scope: 'orders:write' }),
      schema: {
        operationId: 'addInvoice',
        tags: ['Orders'],
        summary: 'Add an invoice to an order',
        description:
          'Adds an NF-e or DC-e that was issued elsewhere. The buyer sees it on the page of the order. The shipping label shows the keys of the first two invoices. A key that an order of the store already has is rejected with 409 (duplicate_invoice). An order can have at most 20 invoices. Emits order.invoiced.',
        params: ofOrder,
        body: shape.NewInvoice,
        response: { 201: shape.Invoice },
      },
    },
    async (request, reply) => {
      const { workspaceId } = request.credential;
      const invoice = await request.store.transaction((tx) =>
        addInvoice(tx, workspaceId, originOfApp(request.credential), request.params.id, request.body),
      );
      return reply.code(201).send(invoice);
    },
  );

  app.delete(
    '/orders/:id/invoices/:key',
    {
      ...usesOrders({ scope: 'orders:write' }),
      schema: {
        operationId: 'deleteInvoice',
        tags: ['Orders'],
        summary: 'Remove an invoice from an order',
        description: 'For a document that was canceled or added by mistake. Its key can be added again.',
        params: ofInvoice,
        response: { 200: shape.DeletedInvoice },
      },
    },
    async (request) => {
      const { id, key } = request.params;
      // PostgreSQL stores neither NUL nor unpaired surrogates, so no invoice can have such a key.
      if (key.includes('\0') || !key.isWellFormed()) throw notFound('Invoice', key);
      await request.store.transaction((tx) => removeInvoice(tx, request.credential.workspaceId, id, key));
      return { id: key, deleted: true };
    },
  );
};
