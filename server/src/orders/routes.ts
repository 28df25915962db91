import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { AnswerMemory } from '../events/answer-memory.js';
import type { ListReads } from '../events/list-reads.js';
import { originOfApp } from '../events/names.js';
import { sendSnapshot } from '../events/send-snapshot.js';
import type { Snapshots } from '../events/snapshots.js';
import type { Database } from '../platform/db/database.js';
import { badRequest, notFound } from '../platform/http/errors.js';
import { prefersNdjson } from '../platform/http/ndjson.js';
import type { ResponseMemory } from '../platform/http/response-memory.js';
import { sendJson } from '../platform/http/send-json.js';
import { readPageRequest } from '../platform/lists/paging.js';
import { Type } from '../platform/schema/type.js';
import { checkerOf } from '../platform/schema/validation.js';
import { customerSorts, listCustomers } from './customers.js';
import { invoiceRoutes } from './invoice-routes.js';
import { orderReads } from './order-reads.js';
import * as shape from './order-shapes.js';
import { findOrder, listChanges, listOrders, orderSorts } from './queries.js';
import { type Refunder, refundOrder } from './refund.js';
import { customerRecords, orderRecords } from './snapshot.js';
import { ordersOf } from './storage.js';
import { orBusy, usesOrders } from './unavailable.js';

export interface OrderOptions {
  db: Database;
  refunder: Refunder;
  snapshots: Snapshots;
  lists: ListReads;
  answers: AnswerMemory;
  responses: ResponseMemory;
}

const ofOrder = Type.Object({ id: Type.String({ description: 'Order id' }) });
const isOrderFilters = checkerOf(Type.Object(shape.orderFilters, { additionalProperties: false }));
const isCustomerFilters = checkerOf(Type.Object(shape.customerFilters, { additionalProperties: false }));

export const orderRoutes: FastifyPluginAsyncTypebox<OrderOptions> = async (
  app,
  { db, refunder, snapshots, lists, answers, responses },
) => {
  const details = orderReads(db.system('order details'), responses);

  app.get(
    '/orders',
    {
      ...usesOrders({ scope: 'orders:read', cursorMayExpire: true, snapshotOf: shape.Order }),
      schema: {
        operationId: 'listOrders',
        tags: ['Orders'],
        summary: 'List orders',
        description:
          'For delta sync, use sort=updatedAt and store meta.nextCursor, which is also present on the last page. A later request with that cursor returns the orders that have changed since; no change is missed.',
        querystring: shape.OrderQuery,
        response: { 200: shape.OrderList },
      },
    },
    async (request, reply) => {
      if (prefersNdjson(request)) return sendSnapshot(request, reply, snapshots, orderRecords);
      const { from, to, dateType } = request.query;
      if (from !== undefined && to !== undefined && from > to)
        throw badRequest('from must not be later than to', 'invalid_parameter');
      const page = readPageRequest(request.query, {
        list: 'orders',
        defaultSort: dateType === 'updated' ? '-updatedAt' : '-createdAt',
        sorts: orderSorts,
        filterShape: shape.orderFilters,
        isFilters: isOrderFilters,
      });
      const { workspaceId } = request.credential;
      const { search } = page.filters;
      const access = search ? db.search(workspaceId) : request.store;
      const isDeltaSync = page.sort === 'updatedAt';
      const read = () => {
        // Delta sync first assigns numbers to the committed changes, so it must use the primary.
        const list = isDeltaSync
          ? listChanges(access, lists.memory, workspaceId, page)
          : lists.read(workspaceId, access, (from, memory) => listOrders(from, memory, workspaceId, page));
        return search ? orBusy(list) : list;
      };
      // A response is not cached if it depends on the current time zone of the store (with `from` or `to`), or if
      // numbers must first be assigned to committed changes (delta sync).
      const isRepeatable = from === undefined && to === undefined && !isDeltaSync;
      const body = await (isRepeatable ? answers.answer(workspaceId, reply, read) : read());
      return sendJson(reply, body);
    },
  );

  app.get(
    '/orders/:id',
    {
      ...usesOrders({ scope: 'orders:read', etag: true }),
      schema: {
        operationId: 'getOrder',
        tags: ['Orders'],
        summary: 'Read an order',
        params: ofOrder,
        response: { 200: shape.Order },
      },
    },
    async (request, reply) => {
      const order = await details.find(request.credential.workspaceId, request.params.id, reply.raw);
      if (!order) throw notFound('Order', request.params.id);
      reply.header('etag', order.etag);
      return sendJson(reply, order.json);
    },
  );

  app.post(
    '/orders/:id/refund',
    {
      ...usesOrders({ scope: 'orders:write', bodyOptional: true, waitsOutside: true }),
      schema: {
        operationId: 'refundOrder',
        tags: ['Orders'],
        summary: 'Refund an order in full',
        description:
          'Refunds the whole remaining amount through the gateway, once, however often this is called. Partial refunds are made at the gateway. Emits order.refunded.',
        params: ofOrder,
        body: shape.RefundRequest,
        response: { 200: shape.RefundedOrder },
      },
    },
    async (request) => {
      const { workspaceId, clientId } = request.credential;
      const { id } = request.params;
      const key = request.headers['idempotency-key'];
      // The refund must be committed before the gateway is called. With an Idempotency-Key, request.store would commit
      // it only with the response.
      const orders = ordersOf(db, workspaceId);
      const refund = await refundOrder(
        orders,
        refunder,
        workspaceId,
        originOfApp(request.credential),
        id,
        request.body,
        key && `${clientId} ${key}`,
      );
      const order = await findOrder(orders, workspaceId, id);
      if (!order) throw notFound('Order', id);
      return { ...order, refund };
    },
  );

  await invoiceRoutes(app, {});

  app.get(
    '/customers',
    {
      ...usesOrders({ scope: 'customers:read', snapshotOf: shape.Customer }),
      schema: {
        operationId: 'listCustomers',
        tags: ['Customers'],
        summary: 'List customers',
        description:
          'Customers are derived from orders: one for each tax number (CPF or CNPJ) or, for orders without one, for each e-mail. By default, the customer with the latest lastOrderAt comes first.',
        querystring: shape.CustomerQuery,
        response: { 200: shape.CustomerList },
      },
    },
    async (request, reply) => {
      if (prefersNdjson(request)) return sendSnapshot(request, reply, snapshots, customerRecords);
      const page = readPageRequest(request.query, {
        list: 'customers',
        defaultSort: '-lastOrderAt',
        sorts: customerSorts,
        filterShape: shape.customerFilters,
        isFilters: isCustomerFilters,
      });
      const { workspaceId } = request.credential;
      const { search } = page.filters;
      const access = search ? db.search(workspaceId) : request.store;
      const list = lists.read(workspaceId, access, (from, memory) =>
        listCustomers(from, memory, workspaceId, page),
      );
      return sendJson(reply, await (search ? orBusy(list) : list));
    },
  );
};
