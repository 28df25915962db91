import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { AnswerMemory } from '../events/answer-memory.js';
import type { ListReads } from '../events/list-reads.js';
import { originOfApp } from '../events/names.js';
import type { Snapshots } from '../events/snapshots.js';
import type { Database } from '../platform/db/database.js';
import type { Tx } from '../platform/db/share.js';
import { DryRunQuery } from '../platform/http/dry-run.js';
import { notFound } from '../platform/http/errors.js';
import { readIfMatch, requireMatch } from '../platform/http/if-match.js';
import type { ResponseMemory } from '../platform/http/response-memory.js';
import { sendJson } from '../platform/http/send-json.js';
import { Deleted } from '../platform/schema/shapes.js';
import { createProduct } from './create-product.js';
import { catalogLists } from './list-routes.js';
import { ProductCreations } from './product-creations.js';
import { productReads } from './product-reads.js';
import { deleteProduct, lockProduct, updateProduct } from './products.js';
import { listCategories } from './queries.js';
import * as shape from './schema.js';
import { stockRoutes } from './stock-routes.js';
import { variationRoutes } from './variation-routes.js';

export interface CatalogOptions {
  db: Database;
  mediaUrl: string;
  snapshots: Snapshots;
  lists: ListReads;
  answers: AnswerMemory;
  responses: ResponseMemory;
}

export const catalogRoutes: FastifyPluginAsyncTypebox<CatalogOptions> = async (
  app,
  { db, mediaUrl, snapshots, lists, answers, responses },
) => {
  const products = productReads(db.system('product details'), responses, mediaUrl);
  const creations = new ProductCreations(db);

  async function readProduct(request: FastifyRequest): Promise<string | Buffer> {
    const { id } = request.params as { id: string };
    const product = await products.findIn(request.store, request.credential.workspaceId, id);
    if (!product) throw notFound('Product', id);
    return product.json;
  }

  /**
   * Checks If-Match while the product is locked. If several calls send the same ETag, only one of them can change the
   * product.
   */
  async function refuseChanged(tx: Tx, request: FastifyRequest): Promise<void> {
    const ifMatch = readIfMatch(request);
    if (ifMatch === undefined) return;
    const { id } = request.params as { id: string };
    const { workspaceId } = request.credential;
    await lockProduct(tx, workspaceId, id);
    const product = await products.findIn(tx, workspaceId, id);
    requireMatch(ifMatch, product!.etag);
  }

  await catalogLists(app, { db, mediaUrl, snapshots, lists, answers });

  app.post(
    '/products',
    {
      config: { scope: 'products:write' },
      schema: {
        operationId: 'createProduct',
        tags: ['Products'],
        summary: 'Create a product',
        description:
          'Requires name and price. If the store has a product with the same name, the response is a 409. With variants, the product and its variations are created together. Emits product.created.',
        querystring: DryRunQuery,
        body: shape.NewProduct,
        response: { 201: shape.ProductDetail },
      },
    },
    async (request, reply) => {
      const { workspaceId } = request.credential;
      const origin = originOfApp(request.credential);
      const open = request.dryRun ?? request.keyed;
      const product = await (open
        ? createProduct(open.autocommit, workspaceId, origin, request.body)
        : creations.create(workspaceId, origin, request.body));
      return sendJson(reply.code(201), product);
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
          'Includes images and variations. The response has an ETag; send it as If-None-Match to get a 304 if nothing has changed.',
        params: shape.OfProduct,
        response: { 200: shape.ProductDetail },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const product = await products.find(request.credential.workspaceId, id, reply.raw);
      if (!product) throw notFound('Product', id);
      reply.header('etag', product.etag);
      return sendJson(reply, product.json);
    },
  );

  app.patch(
    '/products/:id',
    {
      config: { scope: 'products:write', readAgain: readProduct, ifMatch: true },
      schema: {
        operationId: 'updateProduct',
        tags: ['Products'],
        summary: 'Change a product',
        description:
          'Changes only the fields that are sent. Emits product.updated with the names of the fields whose value changed, and stock.updated if the quantity changed. With If-Match, the response is a 412 if the product has changed since it was read.',
        params: shape.OfProduct,
        querystring: DryRunQuery,
        body: shape.ProductChange,
        response: { 200: shape.ProductDetail },
      },
    },
    async (request, reply) => {
      const { workspaceId } = request.credential;
      const product = await request.store.transaction(async (tx) => {
        await refuseChanged(tx, request);
        const { id } = request.params;
        const origin = originOfApp(request.credential);
        return updateProduct(tx, workspaceId, origin, id, request.body, () =>
          products.findIn(tx, workspaceId, id),
        );
      });
      return sendJson(reply, product!.json);
    },
  );

  app.delete(
    '/products/:id',
    {
      config: { scope: 'products:write', freesFiles: true, ifMatch: true },
      schema: {
        operationId: 'deleteProduct',
        tags: ['Products'],
        summary: 'Delete a product',
        description: 'Also deletes its variations and images. Emits product.deleted.',
        params: shape.OfProduct,
        querystring: DryRunQuery,
        response: { 200: Deleted },
      },
    },
    async (request) => {
      const { id } = request.params;
      await request.store.transaction(async (tx) => {
        await refuseChanged(tx, request);
        await deleteProduct(tx, request.credential.workspaceId, originOfApp(request.credential), id);
      });
      return { id, deleted: true };
    },
  );

  await variationRoutes(app, {});
  await stockRoutes(app, { db });

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
