import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Clock } from '../platform/clock.js';
import type { Seal } from '../platform/crypto/seal.js';
import { sendJson } from '../platform/http/send-json.js';
import { readPageRequest } from '../platform/lists/paging.js';
import type { Outbound } from '../platform/outbound/post.js';
import { newId } from '../platform/schema/ids.js';
import { Type } from '../platform/schema/type.js';
import { checkerOf } from '../platform/schema/validation.js';
import { attempt } from './attempt.js';
import { deliverySorts, listDeliveries, redeliver } from './log.js';
import { readPeriod, replay } from './replay.js';
import * as shape from './schema.js';
import { findTarget } from './subscriptions.js';

interface Options {
  clock: Clock;
  outbound: Outbound;
  seal: Seal;
}

const scope = 'webhooks:manage';
const isFilters = checkerOf(Type.Object(shape.deliveryFilters, { additionalProperties: false }));

/** Pings, the delivery log of a subscription, and redeliveries. */
export const deliveryRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { clock, outbound, seal }) => {
  app.post(
    '/webhooks/:id/ping',
    {
      config: { scope, waitsOutside: true },
      schema: {
        operationId: 'pingWebhook',
        tags: ['Webhooks'],
        summary: 'Send a test delivery now',
        description:
          'Sends one signed POST with the event "ping" and returns the result. The ping is not logged and not retried.',
        params: shape.OfWebhook,
        response: { 200: shape.PingAnswer },
      },
    },
    async (request) => {
      const { id } = request.params;
      const { workspaceId } = request.credential;
      const target = await findTarget(request.store, request.credential, id);
      const message = { id: newId(), event: 'ping', workspaceId, data: { id } };
      // The receiver's response body is not returned, so that callers cannot use a ping to read pages of other servers.
      const { response: _, ...answer } = await attempt({ outbound, seal, clock }, target, message, 1);
      return answer;
    },
  );

  app.get(
    '/webhooks/:id/deliveries',
    {
      config: { scope },
      schema: {
        operationId: 'listDeliveries',
        tags: ['Webhooks'],
        summary: 'List the deliveries of a subscription',
        description: 'Newest first by default, with all attempts. Deliveries are kept for 30 days.',
        params: shape.OfWebhook,
        querystring: shape.DeliveryQuery,
        response: { 200: shape.DeliveryList },
      },
    },
    async (request, reply) => {
      const page = readPageRequest(request.query, {
        list: `deliveries of ${request.params.id}`,
        defaultSort: '-createdAt',
        sorts: deliverySorts,
        filterShape: shape.deliveryFilters,
        isFilters,
      });
      return sendJson(
        reply,
        await listDeliveries(request.store, request.credential, request.params.id, page),
      );
    },
  );

  app.post(
    '/webhooks/:id/deliveries/:deliveryId/redeliver',
    {
      config: { scope, makesDeliveriesDue: true },
      schema: {
        operationId: 'redeliver',
        tags: ['Webhooks'],
        summary: 'Send a delivery again',
        description:
          'Makes up to five new attempts with the same X-Service-Delivery, whatever the result of the earlier ones. Accepts the id of the delivery or the value of X-Service-Delivery.',
        params: Type.Object({ id: Type.String({ description: 'Webhook id' }), deliveryId: Type.String() }),
        response: { 200: shape.Delivery },
      },
    },
    (request) => {
      const { id, deliveryId } = request.params;
      return request.store.transaction((tx) => redeliver(tx, request.credential, id, deliveryId));
    },
  );

  app.post(
    '/webhooks/:id/replay',
    {
      config: { scope, makesDeliveriesDue: true },
      schema: {
        operationId: 'replayDeliveries',
        tags: ['Webhooks'],
        summary: 'Send the deliveries of a period again',
        description:
          'Queues the deliveries, oldest first, each for up to five new attempts with the same X-Service-Delivery. Pending deliveries are skipped. One call queues at most 10,000, and a subscription can have at most 100,000 pending. If some are left, the response contains continueFrom. Send it as "from" in the next call.',
        params: shape.OfWebhook,
        body: shape.ReplayRequest,
        response: { 200: shape.Replayed },
      },
    },
    async ({ store, credential, params, body }) => {
      await findTarget(store, credential, params.id);
      const period = await readPeriod(store, credential.workspaceId, body);
      return replay(store.autocommit, credential, params.id, period, body.status);
    },
  );
};
