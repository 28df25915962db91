import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { originOfApp } from '../events/names.js';
import { DryRunQuery, dryRunParameter } from '../platform/http/dry-run.js';
import { insufficientScope, notFound } from '../platform/http/errors.js';
import { Type } from '../platform/schema/type.js';
import { patchVariations, setsOnlyQuantities } from './patch-variations.js';
import { putVariations } from './put-variations.js';
import { listVariations } from './queries.js';
import type { VariationRecord } from './records.js';
import * as shape from './schema.js';
import { VariationsPut } from './variation-structure.js';

export const variationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/products/:id/variants',
    {
      config: { scope: 'products:read', etag: true },
      schema: {
        operationId: 'listVariations',
        tags: ['Variations'],
        summary: 'List the variations of a product',
        params: shape.OfProduct,
        response: { 200: shape.VariationList },
      },
    },
    readVariations,
  );

  app.patch(
    '/products/:id/variants',
    {
      config: {
        scope: ['products:write', 'stock:write'],
        bareArray: 'variants',
        readAgain: readVariations,
      },
      schema: {
        operationId: 'patchVariations',
        tags: ['Variations'],
        summary: 'Change many variations',
        description:
          'Changes up to 500 variations, each identified by id or sku. Either all changes are applied or none. The array of entries alone is also accepted as the body. With only stock:write, entries may set only the quantity.',
        params: shape.OfProduct,
        querystring: DryRunQuery,
        body: shape.VariationsPatch,
        response: { 200: shape.VariationList },
      },
    },
    async (request) => {
      const { workspaceId, scopes } = request.credential;
      if (!scopes.has('products:write') && !setsOnlyQuantities(request.body))
        throw insufficientScope(['products:write']);
      const origin = originOfApp(request.credential);
      const data = await request.store.transaction((tx) =>
        patchVariations(tx, workspaceId, origin, request.params.id, request.body),
      );
      return { data };
    },
  );

  app.put(
    '/products/:id/variants',
    {
      config: { scope: 'products:write', readAgain: readVariations },
      schema: {
        operationId: 'putVariations',
        tags: ['Variations'],
        summary: 'Create or update the variations of a product',
        description:
          'The body lists the types, their options and the combinations. A combination is identified by its label, such as P - Azul. Combinations that are not listed are kept unless prune=true.',
        params: shape.OfProduct,
        querystring: Type.Object({
          prune: Type.Optional(
            Type.Boolean({ description: 'Remove the combinations that are not listed.', default: false }),
          ),
          ...dryRunParameter,
        }),
        body: VariationsPut,
        response: { 200: shape.VariationList },
      },
    },
    async (request) => {
      const { workspaceId } = request.credential;
      const origin = originOfApp(request.credential);
      const { prune = false } = request.query;
      const data = await request.store.transaction((tx) =>
        putVariations(tx, workspaceId, origin, request.params.id, request.body, prune),
      );
      return { data };
    },
  );
};

async function readVariations(request: FastifyRequest): Promise<{ data: VariationRecord[] }> {
  const { id } = request.params as { id: string };
  const variations = await listVariations(request.store, request.credential.workspaceId, id);
  if (!variations) throw notFound('Product', id);
  return { data: variations };
}
