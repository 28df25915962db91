import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { readFeed } from '../events/feed.js';
import type { Clock } from '../platform/clock.js';
import type { Seal } from '../platform/crypto/seal.js';
import { badRequest, invalid } from '../platform/http/errors.js';
import { readPageRequest } from '../platform/lists/paging.js';
import type { Outbound } from '../platform/outbound/post.js';
import { newId } from '../platform/schema/ids.js';
import { Deleted } from '../platform/schema/shapes.js';
import { checkerOf } from '../platform/schema/validation.js';
import { attempt } from './attempt.js';
import { deliverySorts, listDeliveries, redeliver } from './log.js';
import * as shape from './schema.js';
import {
  createWebhook,
  deleteWebhook,
  findTarget,
  listWebhooks,
  rotateWebhookSecret,
} from './subscriptions.js';

interface Options {
  clock: Clock;
  outbound: Outbound;
  seal: Seal;
}

const scope = 'webhooks:manage';
const ofWebhook = Type.Object({ id: Type.String({ description: 'Webhook id' }) });
const isFilters = checkerOf(Type.Object(shape.deliveryFilters, { additionalProperties: false }));

export const webhookRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { clock, outbound, seal }) => {
  app.get(
    '/webhooks',
    {
      config: { scope },
      schema: {
        operationId: 'listWebhooks',
        tags: ['Webhooks'],
        summary: 'List the subscriptions of this app',
        response: { 200: shape.WebhookList },
      },
    },
    async ({ store, credential }) => ({ data: await listWebhooks(store, credential) }),
  );

  app.post(
    '/webhooks',
    {
      config: { scope, waitsOutside: true },
      schema: {
        operationId: 'createWebhook',
        tags: ['Webhooks'],
        summary: 'Subscribe to events',
        description:
          'The secret in the answer is shown this once; it signs every delivery. A target that is not a public address is a 422.',
        body: shape.NewWebhook,
        response: { 201: shape.CreatedWebhook },
      },
    },
    async (request, reply) => {
      await refuseTarget(request.body.url);
      const made = await request.store.transaction((tx) =>
        createWebhook(tx, seal, request.credential, request.body),
      );
      return reply.code(201).send(made);
    },
  );

  app.delete(
    '/webhooks/:id',
    {
      config: { scope },
      schema: {
        operationId: 'deleteWebhook',
        tags: ['Webhooks'],
        summary: 'End a subscription',
        description: 'What was still owed to it is not sent any more.',
        params: ofWebhook,
        response: { 200: Deleted },
      },
    },
    async (request) => {
      const { id } = request.params;
      await deleteWebhook(request.store.autocommit, request.credential, id);
      return { id, deleted: true };
    },
  );

  app.post(
    '/webhooks/:id/ping',
    {
      config: { scope, waitsOutside: true },
      schema: {
        operationId: 'pingWebhook',
        tags: ['Webhooks'],
        summary: 'Send a test delivery now',
        description:
          'One signed POST of the event "ping", answered with the status of the receiver. It is not logged and not repeated.',
        params: ofWebhook,
        response: { 200: shape.PingAnswer },
      },
    },
    async (request) => {
      const { id } = request.params;
      const { workspaceId } = request.credential;
      const target = await findTarget(request.store, request.credential, id);
      const message = { id: newId(), event: 'ping', workspaceId, data: { id } };
      // What the receiver wrote stays out: a caller must not read other servers through us.
      const { response: _, ...answer } = await attempt({ outbound, seal, clock }, target, message, 1);
      return answer;
    },
  );

  app.post(
    '/webhooks/:id/rotate-secret',
    {
      config: { scope },
      schema: {
        operationId: 'rotateWebhookSecret',
        tags: ['Webhooks'],
        summary: 'Change the secret',
        description: 'For 24 hours the old secret signs too, in X-Service-Signature-256-Previous.',
        params: ofWebhook,
        response: { 200: shape.CreatedWebhook },
      },
    },
    (request) =>
      request.store.transaction((tx) =>
        rotateWebhookSecret(tx, seal, clock, request.credential, request.params.id),
      ),
  );

  app.get(
    '/webhooks/:id/deliveries',
    {
      config: { scope },
      schema: {
        operationId: 'listDeliveries',
        tags: ['Webhooks'],
        summary: 'The log of a subscription',
        description: 'Newest first, with every attempt. Kept 30 days.',
        params: ofWebhook,
        querystring: shape.DeliveryQuery,
        response: { 200: shape.DeliveryList },
      },
    },
    (request) => {
      const page = readPageRequest(request.query, {
        list: `deliveries of ${request.params.id}`,
        defaultSort: '-createdAt',
        sorts: deliverySorts,
        filterShape: shape.deliveryFilters,
        isFilters,
      });
      return listDeliveries(request.store, request.credential, request.params.id, page);
    },
  );

  app.post(
    '/webhooks/:id/deliveries/:deliveryId/redeliver',
    {
      config: { scope },
      schema: {
        operationId: 'redeliver',
        tags: ['Webhooks'],
        summary: 'Send a delivery again',
        description:
          'A new series of attempts under the same X-Service-Delivery, whatever became of the first. Takes the id of the delivery or the value of X-Service-Delivery.',
        params: Type.Object({ id: Type.String({ description: 'Webhook id' }), deliveryId: Type.String() }),
        response: { 200: shape.Delivery },
      },
    },
    (request) => {
      const { id, deliveryId } = request.params;
      return request.store.transaction((tx) => redeliver(tx, request.credential, id, deliveryId));
    },
  );

  app.get(
    '/events',
    {
      config: { scope },
      schema: {
        operationId: 'readEvents',
        tags: ['Events'],
        summary: 'The feed of events',
        description:
          'All events of the store of the last 30 days, oldest first. Nothing ever lands behind a cursor given out: to recover from an outage, go on from the last one.',
        querystring: shape.EventQuery,
        response: { 200: shape.EventList },
      },
    },
    (request) => {
      const { after, cursor, ...paging } = request.query;
      if (after !== undefined && cursor !== undefined)
        throw badRequest('after and cursor cannot be sent together', 'invalid_parameter');
      const position = after ?? cursor;
      return readFeed(request.store, request.credential.workspaceId, {
        ...paging,
        ...(position !== undefined && { after: position }),
      });
    },
  );

  async function refuseTarget(url: string): Promise<void> {
    const target = new URL(url);
    if (target.username !== '' || target.password !== '')
      throw invalid([{ field: 'url', message: 'must not carry a user name or password' }]);
    if (await outbound.isForbidden(target))
      throw invalid([
        { field: 'url', message: 'must have a public address and port 80, 443 or a free port above 1023' },
      ]);
  }
};
