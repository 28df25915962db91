import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { AnswerMemory } from '../events/answer-memory.js';
import type { ListReads } from '../events/list-reads.js';
import { sendSnapshot } from '../events/send-snapshot.js';
import type { Snapshots } from '../events/snapshots.js';
import type { Database } from '../platform/db/database.js';
import { prefersNdjson } from '../platform/http/ndjson.js';
import { sendJson } from '../platform/http/send-json.js';
import { readPageRequest } from '../platform/lists/paging.js';
import { Type } from '../platform/schema/type.js';
import { checkerOf } from '../platform/schema/validation.js';
import * as shape from './list-schema.js';
import { PRODUCT_PARTS } from './product-json.js';
import { listProducts, productSorts } from './queries.js';
import { ProductDetail } from './schema.js';
import { productRecords, variationRecords } from './snapshot.js';
import { listStoreVariations, variationSorts } from './variation-list.js';

const isProductFilters = checkerOf(Type.Object(shape.productFilters, { additionalProperties: false }));
const isVariationFilters = checkerOf(Type.Object(shape.variationFilters, { additionalProperties: false }));

interface CatalogListOptions {
  db: Database;
  mediaUrl: string;
  snapshots: Snapshots;
  lists: ListReads;
  answers: AnswerMemory;
}

/** The lists of the catalog. A response is one page or, as NDJSON, a snapshot of all records. */
export const catalogLists: FastifyPluginAsyncTypebox<CatalogListOptions> = async (
  app,
  { db, mediaUrl, snapshots, lists, answers },
) => {
  app.get(
    '/products',
    {
      config: { scope: 'products:read', hasLargePages: true, snapshotOf: ProductDetail },
      schema: {
        operationId: 'listProducts',
        tags: ['Products'],
        summary: 'List products',
        description:
          'The records of a page contain images and variants only if include requests them; those of a snapshot always do.',
        querystring: shape.ProductQuery,
        response: { 200: shape.ProductList },
      },
    },
    async (request, reply) => {
      if (prefersNdjson(request)) return sendSnapshot(request, reply, snapshots, productRecords(mediaUrl));
      const { workspaceId } = request.credential;
      const body = await answers.answer(workspaceId, reply, () => {
        const { include, ...query } = request.query;
        const page = readPageRequest(
          { ...query, ...(include !== undefined && { include: sorted(include) }) },
          {
            list: 'products',
            defaultSort: '-createdAt',
            sorts: productSorts,
            filterShape: shape.productFilters,
            isFilters: isProductFilters,
          },
        );
        const store = page.filters.search ? db.search(workspaceId) : request.store;
        return lists.read(workspaceId, store, (from, memory) =>
          listProducts(from, memory, workspaceId, page, mediaUrl),
        );
      });
      return sendJson(reply, body);
    },
  );

  app.get(
    '/variants',
    {
      config: { scope: 'products:read', snapshotOf: shape.StoreVariation },
      schema: {
        operationId: 'listStoreVariations',
        tags: ['Variations'],
        summary: 'List the variations of all products',
        description:
          'Each record contains the id of its product. Default order: most recently changed first.',
        querystring: shape.VariationQuery,
        response: { 200: shape.StoreVariationList },
      },
    },
    async (request, reply) => {
      if (prefersNdjson(request)) return sendSnapshot(request, reply, snapshots, variationRecords);
      const { workspaceId } = request.credential;
      const body = await answers.answer(workspaceId, reply, () => {
        const page = readPageRequest(request.query, {
          list: 'variants',
          defaultSort: '-updatedAt',
          sorts: variationSorts,
          filterShape: shape.variationFilters,
          isFilters: isVariationFilters,
        });
        return lists.read(workspaceId, request.store, (from, memory) =>
          listStoreVariations(from, memory, workspaceId, page),
        );
      });
      return sendJson(reply, body);
    },
  );
};

/** Sorts the values, so that "variants,images" sent with a cursor equals the "images,variants" stored in it. */
function sorted(include: string): string {
  const asked = include.split(',');
  return PRODUCT_PARTS.filter((part) => asked.includes(part)).join(',');
}
