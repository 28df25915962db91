import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { originOfApp } from '../events/names.js';
import type { Database } from '../platform/db/database.js';
import { DryRunQuery } from '../platform/http/dry-run.js';
import { sendJson } from '../platform/http/send-json.js';
import { Type } from '../platform/schema/type.js';
import * as shape from './schema.js';
import { setProductStock, setVariationStock } from './stock.js';
import { applyStockBatch } from './stock-batch.js';
import * as stock from './stock-schema.js';
import { StockWrites } from './stock-writes.js';

export const stockRoutes: FastifyPluginAsyncTypebox<{ db: Database }> = async (app, { db }) => {
  const stockWrites = new StockWrites(db);

  app.patch(
    '/products/:id/stock',
    {
      config: { scope: 'stock:write' },
      schema: {
        operationId: 'setProductStock',
        tags: ['Stock'],
        summary: 'Set the stock of a simple product',
        description:
          'Only for products without variations; otherwise the balance is the sum of the variations and the response is a 422. Emits stock.updated when the balance changes.',
        params: shape.OfProduct,
        querystring: DryRunQuery,
        body: stock.StockChange,
        response: { 200: shape.Product },
      },
    },
    async (request, reply) => {
      const { workspaceId } = request.credential;
      const origin = originOfApp(request.credential);
      const { id } = request.params;
      const { quantity } = request.body;
      const open = request.dryRun ?? request.keyed;
      const product = await (open
        ? setProductStock(open.autocommit, workspaceId, origin, id, quantity)
        : stockWrites.setProduct({ workspaceId, origin, productId: id, quantity }));
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
          'Sets or adjusts up to 500 balances by SKU, across all products of the store. If an entry is malformed, the whole call is rejected; otherwise each entry has its own result, in the same order.',
        querystring: DryRunQuery,
        body: stock.StockBatch,
        response: { 200: stock.StockBatchAnswer },
      },
    },
    async (request) => ({
      data: await request.store.transaction((tx) =>
        applyStockBatch(tx, request.credential.workspaceId, originOfApp(request.credential), request.body),
      ),
    }),
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
          'In the path, percent-encode characters of the sku such as / and %. Emits stock.updated when the balance changes.',
        params: Type.Object({
          id: Type.String({ description: 'Product id' }),
          sku: Type.String({ description: 'SKU of the variation' }),
        }),
        querystring: DryRunQuery,
        body: stock.StockChange,
        response: { 200: shape.Variation },
      },
    },
    async (request, reply) => {
      const { workspaceId } = request.credential;
      const origin = originOfApp(request.credential);
      const { id, sku } = request.params;
      const { quantity } = request.body;
      const variation = await (request.dryRun || request.keyed
        ? setVariationStock(request.store, workspaceId, origin, id, sku, quantity)
        : stockWrites.setVariation({ workspaceId, origin, productId: id, sku, quantity }));
      return sendJson(reply, variation);
    },
  );
};
