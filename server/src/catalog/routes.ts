import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Database } from '../platform/db.js';
import { insufficientScope } from '../platform/errors.js';
import { execute, transact } from '../platform/idempotency.js';
import { readPageRequest } from '../platform/paging.js';
import { sendJson } from '../platform/send-json.js';
import { queryChecker } from '../platform/validation.js';
import { patchVariations, setsOnlyQuantities } from './patch-variations.js';
import { ProductReads } from './product-reads.js';
import { createProduct, deleteProduct, productNotFound, updateProduct } from './products.js';
import { putVariations, readStructure } from './put-variations.js';
import { listCategories, listProducts, listVariations, productSorts } from './queries.js';
import type { VariationRecord } from './records.js';
import * as shape from './schema.js';
import { setProductStock, setVariationStock, setVariationStockLocked } from './stock.js';
import { applyStockBatch } from './stock-batch.js';
import { StockWrites } from './stock-writes.js';

const ofProduct = Type.Object({ id: Type.String({ description: 'Product id' }) });
const isFilters = queryChecker(Type.Object(shape.productFilters));

export const catalogRoutes: FastifyPluginAsyncTypebox<{ db: Database; mediaUrl: string }> = async (
  app,
  { db, mediaUrl },
) => {
  const products = new ProductReads(db, mediaUrl);
  const stockWrites = new StockWrites(db.autocommit);
  app.get(
    '/products',
    {
      config: { scope: 'products:read' },
      schema: {
        operationId: 'listProducts',
        tags: ['Products'],
        summary: 'List products',
        description:
          'Paged, searchable, sortable. Records come without images and variants; the detail has them.',
        querystring: shape.ProductQuery,
        response: { 200: shape.ProductList },
      },
    },
    async (request, reply) => {
      const page = readPageRequest(request.query, {
        defaultSort: '-createdAt',
        sorts: productSorts,
        filterShape: shape.productFilters,
        isFilters,
      });
      return sendJson(reply, await listProducts(db, request.credential.workspaceId, page));
    },
  );

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
        body: shape.NewProduct,
        response: { 201: shape.ProductDetail },
      },
    },
    async (request, reply) => {
      const product = await execute(request, db, (tx) =>
        createProduct(tx, request.credential.workspaceId, request.body),
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
        params: ofProduct,
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
      config: { scope: 'products:write' },
      schema: {
        operationId: 'updateProduct',
        tags: ['Products'],
        summary: 'Change a product',
        description:
          'Changes the fields sent. Emits product.updated with the names of the fields whose value changed, and stock.updated if quantity did.',
        params: ofProduct,
        body: shape.ProductChange,
        response: { 200: shape.ProductDetail },
      },
    },
    async (request, reply) => {
      const { workspaceId } = request.credential;
      const product = await transact(request, db, async (tx) => {
        await updateProduct(tx, workspaceId, request.params.id, request.body);
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
        params: ofProduct,
        response: { 200: shape.Deleted },
      },
    },
    async (request) => {
      const { id } = request.params;
      await transact(request, db, (tx) => deleteProduct(tx, request.credential.workspaceId, id));
      return { id, deleted: true };
    },
  );

  app.patch(
    '/products/:id/stock',
    {
      config: { scope: 'stock:write' },
      schema: {
        operationId: 'setProductStock',
        tags: ['Stock'],
        summary: 'Set the stock of a simple product',
        description:
          'Of a product with variations the balance is their sum: 422. Emits stock.updated when the balance changes.',
        params: ofProduct,
        body: shape.StockChange,
        response: { 200: shape.Product },
      },
    },
    async (request, reply) => {
      const { workspaceId } = request.credential;
      const { id } = request.params;
      const { quantity } = request.body;
      const product = await (request.keyed
        ? setProductStock(request.keyed.tx, workspaceId, id, quantity)
        : stockWrites.set(workspaceId, id, quantity));
      return sendJson(reply, product);
    },
  );

  app.patch(
    '/stock',
    {
      config: { scope: 'stock:write' },
      schema: {
        operationId: 'setStockBySku',
        tags: ['Stock'],
        summary: 'Set the stock of many SKUs',
        description:
          'Store-wide, up to 500 entries. A malformed entry refuses the whole call; otherwise each line is answered for itself, in order.',
        body: shape.StockBatch,
        response: { 200: shape.StockBatchAnswer },
      },
    },
    async (request) => ({
      data: await transact(request, db, (tx) =>
        applyStockBatch(tx, request.credential.workspaceId, request.body),
      ),
    }),
  );

  app.get(
    '/products/:id/variants',
    {
      config: { scope: 'products:read', etag: true },
      schema: {
        operationId: 'listVariations',
        tags: ['Variations'],
        summary: 'List the variations of a product',
        params: ofProduct,
        response: { 200: shape.VariationList },
      },
    },
    async (request) => {
      const variations = await listVariations(db, request.credential.workspaceId, request.params.id);
      if (!variations) throw productNotFound(request.params.id);
      return { data: variations };
    },
  );

  app.patch(
    '/products/:id/variants',
    {
      config: { scope: ['products:write', 'stock:write'], bareArray: 'variants' },
      schema: {
        operationId: 'patchVariations',
        tags: ['Variations'],
        summary: 'Change many variations',
        description:
          'Up to 500 entries, each found by id or sku, all or nothing. A bare array is taken too. With stock:write alone the entries may set quantity only.',
        params: ofProduct,
        body: shape.VariationsPatch,
        response: { 200: shape.VariationList },
      },
    },
    async (request) => {
      const { workspaceId, scopes } = request.credential;
      if (!scopes.has('products:write') && !setsOnlyQuantities(request.body))
        throw insufficientScope(['products:write']);
      return transact(request, db, async (tx) => {
        await patchVariations(tx, workspaceId, request.params.id, request.body);
        return { data: (await listVariations(tx, workspaceId, request.params.id)) as VariationRecord[] };
      });
    },
  );

  app.put(
    '/products/:id/variants',
    {
      config: { scope: 'products:write' },
      schema: {
        operationId: 'putVariations',
        tags: ['Variations'],
        summary: 'Create or update the variations of a product',
        description:
          'The whole structure: types, their options, and combinations, which are found by their label. Combinations that are not listed stay, unless prune=true.',
        params: ofProduct,
        querystring: Type.Object({
          prune: Type.Optional(
            Type.Boolean({ description: 'Remove the combinations that are not listed.', default: false }),
          ),
        }),
        body: shape.VariationsPut,
        response: { 200: shape.VariationList },
      },
    },
    async (request) => {
      const { workspaceId } = request.credential;
      const listed = readStructure(request.body);
      const types = request.body.types.map(({ name, options }) => ({ name, options }));
      return transact(request, db, async (tx) => {
        await putVariations(tx, workspaceId, request.params.id, types, listed, request.query.prune ?? false);
        return { data: (await listVariations(tx, workspaceId, request.params.id)) as VariationRecord[] };
      });
    },
  );

  app.patch(
    '/products/:id/variants/:sku/stock',
    {
      config: { scope: 'stock:write' },
      schema: {
        operationId: 'setVariationStock',
        tags: ['Stock'],
        summary: 'Set the stock of one variation by its SKU',
        description:
          'Characters such as / or % in the sku are percent-encoded in the path. Emits stock.updated when the balance changes.',
        params: Type.Object({
          id: Type.String({ description: 'Product id' }),
          sku: Type.String({ description: 'SKU of the variation' }),
        }),
        body: shape.StockChange,
        response: { 200: shape.Variation },
      },
    },
    async (request) => {
      const { workspaceId } = request.credential;
      const { id, sku } = request.params;
      const { quantity } = request.body;
      return (
        (await execute(request, db, (tx) => setVariationStock(tx, workspaceId, id, sku, quantity))) ??
        (await transact(request, db, (tx) => setVariationStockLocked(tx, workspaceId, id, sku, quantity)))
      );
    },
  );

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
    async () => ({ data: await listCategories(db) }),
  );
};
