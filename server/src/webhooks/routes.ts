import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Clock } from '../platform/clock.js';
import type { Seal } from '../platform/crypto/seal.js';
import { invalid } from '../platform/http/errors.js';
import type { Outbound } from '../platform/outbound/post.js';
import { Deleted } from '../platform/schema/shapes.js';
import { deliveryRoutes } from './delivery-routes.js';
import { feedRoutes } from './feed-routes.js';
import * as shape from './schema.js';
import {
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from './subscriptions.js';

export interface WebhookOptions {
  clock: Clock;
  outbound: Outbound;
  seal: Seal;
}

const scope = 'webhooks:manage';

export const webhookRoutes: FastifyPluginAsyncTypebox<WebhookOptions> = async (app, options) => {
  const { clock, outbound, seal } = options;
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
          'The secret signs every delivery and is shown only in this response. A url that is not public is rejected (422).',
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

  app.get(
    '/webhooks/:id',
    {
      config: { scope, etag: true },
      schema: {
        operationId: 'getWebhook',
        tags: ['Webhooks'],
        summary: 'Read a subscription',
        params: shape.OfWebhook,
        response: { 200: shape.Webhook },
      },
    },
    ({ store, credential, params }) => findWebhook(store, credential, params.id),
  );

  app.patch(
    '/webhooks/:id',
    {
      config: { scope, waitsOutside: true },
      schema: {
        operationId: 'updateWebhook',
        tags: ['Webhooks'],
        summary: 'Change a subscription',
        description:
          'Changes to events, filter and excludeOwn apply to future events. A new url is also used for pending deliveries. The secret does not change.',
        params: shape.OfWebhook,
        body: shape.WebhookChange,
        response: { 200: shape.Webhook },
      },
    },
    async ({ store, credential, params, body }) => {
      await findWebhook(store, credential, params.id);
      if (body.url !== undefined) await refuseTarget(body.url);
      return updateWebhook(store, credential, params.id, body);
    },
  );

  app.delete(
    '/webhooks/:id',
    {
      config: { scope },
      schema: {
        operationId: 'deleteWebhook',
        tags: ['Webhooks'],
        summary: 'Delete a subscription',
        description: 'Pending deliveries are discarded.',
        params: shape.OfWebhook,
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
    '/webhooks/:id/rotate-secret',
    {
      config: { scope },
      schema: {
        operationId: 'rotateWebhookSecret',
        tags: ['Webhooks'],
        summary: 'Rotate the secret',
        description:
          'For 24 hours, deliveries are also signed with the old secret, in X-Service-Signature-256-Previous.',
        params: shape.OfWebhook,
        response: { 200: shape.CreatedWebhook },
      },
    },
    (request) =>
      request.store.transaction((tx) =>
        rotateWebhookSecret(tx, seal, clock, request.credential, request.params.id),
      ),
  );

  await deliveryRoutes(app, options);
  await feedRoutes(app, {});

  async function refuseTarget(url: string): Promise<void> {
    const target = new URL(url);
    if (target.username !== '' || target.password !== '')
      throw invalid([{ field: 'url', message: 'must not contain a user name or password' }]);
    if (await outbound.isForbidden(target))
      throw invalid([
        {
          field: 'url',
          message:
            'must have a public address and use port 80, 443 or any port above 1023, except those that browsers block (such as 6667)',
        },
      ]);
  }
};
