import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { originOfApp } from '../events/names.js';
import type { Database } from '../platform/db/database.js';
import { DryRunQuery, dryRunParameter } from '../platform/http/dry-run.js';
import { insufficientScope } from '../platform/http/errors.js';
import { sendJson } from '../platform/http/send-json.js';
import { Deleted } from '../platform/schema/shapes.js';
import { catalogLists } from './list-routes.js';
import { patchVariations, setsOnlyQuantities } from './patch-variations.js';
import { ProductReads } from './product-reads.js';
import { createProduct, deleteProduct, productNotFound, updateProduct } from './products.js';
import { putVariations } from './put-variations.js';
import { listCategories, listVariations } from './queries.js';
import type { VariationRecord } from './records.js';
import * as shape from './schema.js';
import { stockRoutes } from './stock-routes.js';
import { VariationsPut } from './variation-structure.js';

export interface CatalogOptions {
  db: Database;
  mediaUrl: string;
}

export const catalogRoutes: FastifyPluginAsyncTypebox<CatalogOptions> = async (app, { db, mediaUrl }) => {
  const products = new ProductReads(db.system('product details'), mediaUrl);

  async function readProduct(request: FastifyRequest): Promise<string | Buffer> {
    const { id } = request.params as { id: string };
    const product = await products.findIn(request.store, request.credential.workspaceId, id);
    if (!product) throw productNotFound(id);
    return product.json;
  }

  async function readVariations(request: FastifyRequest): Promise<{ data: VariationRecord[] }> {
    const { id } = request.params as { id: string };
    const variations = await listVariations(request.store, request.credential.workspaceId, id);
    if (!variations) throw productNotFound(id);
    return { data: variations };
  }

  await app.register(catalogLists, { db, mediaUrl });

  app.post(
    '/products',
    {
      config: { scope: 'products:write' },
      schema: {
        operationId: 'createProduct',
        tags: ['Products'],
        summary: 'Create a product',
        description:
          'Needs name and price. A product with the same name in the store is a 409. Emits product.created.',
        querystring: DryRunQuery,
        body: shape.NewProduct,
        response: { 201: shape.ProductDetail },
      },
    },
    async (request, reply) => {
      const product = await createProduct(
        request.store.autocommit,
        request.credential.workspaceId,
        originOfApp(request.credential),
        request.body,
      );
      return reply.code(201).send({ ...product, images: [], variants: [] });
    },
  );

  app.get(
    '/products/:id',
    {
      config: { scope: 'products:read', etag: true },
      schema: {
        operationId: 'getProduct',
        tags: ['Products'],
        summary: 'Read a product',
        description:
          'With its images and variations. Carries an ETag; send it back as If-None-Match to get a 304.',
        params: shape.OfProduct,
        response: { 200: shape.ProductDetail },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const product = await products.find(request.credential.workspaceId, id);
      if (!product) throw productNotFound(id);
      reply.header('etag', `"${product.tag}"`);
      return sendJson(reply, product.json);
    },
  );

  app.patch(
    '/products/:id',
    {
      config: { scope: 'products:write', readAgain: readProduct },
      schema: {
        operationId: 'updateProduct',
        tags: ['Products'],
        summary: 'Change a product',
        description:
          'Changes the fields sent. Emits product.updated with the names of the fields whose value changed, and stock.updated if quantity did.',
        params: shape.OfProduct,
        querystring: DryRunQuery,
        body: shape.ProductChange,
        response: { 200: shape.ProductDetail },
      },
    },
    async (request, reply) => {
      const { workspaceId } = request.credential;
      const product = await request.store.transaction(async (tx) => {
        await updateProduct(
          tx,
          workspaceId,
          originOfApp(request.credential),
          request.params.id,
          request.body,
        );
        return products.findIn(tx, workspaceId, request.params.id);
      });
      return sendJson(reply, product!.json);
    },
  );

  app.delete(
    '/products/:id',
    {
      config: { scope: 'products:write', freesFiles: true },
      schema: {
        operationId: 'deleteProduct',
        tags: ['Products'],
        summary: 'Delete a product',
        description: 'With its variations and images. Emits product.deleted.',
        params: shape.OfProduct,
        querystring: DryRunQuery,
        response: { 200: Deleted },
      },
    },
    async (request) => {
      const { id } = request.params;
      await request.store.transaction((tx) =>
        deleteProduct(tx, request.credential.workspaceId, originOfApp(request.credential), id),
      );
      return { id, deleted: true };
    },
  );

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
          'Up to 500 entries, each found by id or sku, all or nothing. A bare array is taken too. With stock:write alone the entries may set quantity only.',
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
      return request.store.transaction(async (tx) => {
        await patchVariations(
          tx,
          workspaceId,
          originOfApp(request.credential),
          request.params.id,
          request.body,
        );
        return { data: (await listVariations(tx, workspaceId, request.params.id)) as VariationRecord[] };
      });
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
          'The whole structure: types, their options, and combinations, which are found by their label. Combinations that are not listed stay, unless prune=true.',
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
      return request.store.transaction(async (tx) => {
        await putVariations(
          tx,
          workspaceId,
          originOfApp(request.credential),
          request.params.id,
          request.body,
          request.query.prune ?? false,
        );
        return { data: (await listVariations(tx, workspaceId, request.params.id)) as VariationRecord[] };
      });
    },
  );

  await app.register(stockRoutes, { db });

  app.get(
    '/categories',
    {
      config: { scope: 'categories:read' },
      schema: {
        operationId: 'listCategories',
        tags: ['Categories'],
        summary: 'List categories',
        response: { 200: shape.CategoryList },
      },
    },
    async (request) => ({ data: await listCategories(request.store) }),
  );
};
