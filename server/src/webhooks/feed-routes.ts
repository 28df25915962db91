import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { readFeed } from '../events/feed.js';
import { badRequest } from '../platform/http/errors.js';
import * as shape from './schema.js';

export const feedRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/events',
    {
      config: { scope: 'webhooks:manage', cursorMayExpire: true },
      schema: {
        operationId: 'readEvents',
        tags: ['Events'],
        summary: 'Read the event feed',
        description:
          'The events of the store from the last 30 days, oldest first. A new event never appears before a cursor that was already returned. To recover from an outage, continue from the last cursor.',
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
};
