import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Database } from '../platform/db.js';
import type { Transactions } from '../platform/db-pool.js';
import { execute, transact } from '../platform/idempotency.js';
import { Deleted } from '../platform/shapes.js';
import { attachImage } from './attach.js';
import { Image } from './image-record.js';
import { moveImage, removeImage } from './images.js';
import { findImage, listImages } from './queries.js';
import * as shape from './schema.js';
import { type Storage, UPLOAD_SECONDS } from './storage.js';
import { createUpload, productNotFound } from './uploads.js';

interface Options {
  db: Database;
  waitingFor: { files: Transactions };
  storage: Storage;
  mediaUrl: string;
}

const ofProduct = Type.Object({ id: Type.String({ description: 'Product id' }) });
const ofImage = Type.Object({ id: Type.String({ description: 'Product id' }), imageId: Type.String() });

export const mediaRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { db, waitingFor, storage, mediaUrl },
) => {
  app.post(
    '/uploads',
    {
      config: { scope: 'media:write', upload: true, bodyNamesThing: true },
      schema: {
        operationId: 'createUpload',
        tags: ['Images'],
        summary: 'Ask for an address to upload a file to',
        description:
          'PUT the bytes to uploadUrl within five minutes, with exactly the headers in the answer, then attach the key. Counts against 60 a minute and 5,000 a day besides the general budget; the PUT itself costs nothing.',
        body: shape.NewUpload,
        response: { 201: shape.SignedUpload },
      },
    },
    async (request, reply) => {
      const upload = await execute(request, db, (tx) =>
        createUpload(tx, request.credential.workspaceId, request.body),
      );
      return reply.code(201).send({
        uploadUrl: await storage.signPut(upload),
        key: upload.key,
        expiresIn: UPLOAD_SECONDS,
        headers: { 'Content-Type': upload.contentType, 'Content-Length': String(upload.contentLength) },
      });
    },
  );

  app.get(
    '/products/:id/images',
    {
      config: { scope: 'products:read', etag: true },
      schema: {
        operationId: 'listImages',
        tags: ['Images'],
        summary: 'List the images of a product',
        params: ofProduct,
        response: { 200: shape.ImageList },
      },
    },
    async (request) => {
      const images = await listImages(db, request.credential.workspaceId, request.params.id, mediaUrl);
      if (!images) throw productNotFound(request.params.id);
      return { data: images };
    },
  );

  app.post(
    '/products/:id/images',
    {
      config: { scope: 'media:write', waitsFor: 'files' },
      schema: {
        operationId: 'attachImage',
        tags: ['Images'],
        summary: 'Attach an image',
        description:
          'By the key of an upload, whose every byte is verified (what is no real image of the declared type is thrown away: 422), or by url. Emits product.updated.',
        params: ofProduct,
        body: shape.NewImage,
        response: { 201: Image },
      },
    },
    async (request, reply) => {
      const { workspaceId } = request.credential;
      // The upload stays locked while its bytes are read, judged and published: of two that attach it with other bytes
      // put in between, the second would otherwise publish its own under the record of the first.
      const image = await transact(request, waitingFor.files, async (tx) => {
        const imageId = await attachImage(tx, storage, workspaceId, request.params.id, request.body);
        return findImage(tx, workspaceId, request.params.id, imageId, mediaUrl);
      });
      return reply.code(201).send(image);
    },
  );

  app.patch(
    '/products/:id/images/:imageId',
    {
      config: { scope: 'media:write' },
      schema: {
        operationId: 'moveImage',
        tags: ['Images'],
        summary: 'Move an image to another position',
        params: ofImage,
        body: shape.ImageMove,
        response: { 200: Image },
      },
    },
    (request) => {
      const { workspaceId } = request.credential;
      const { id, imageId } = request.params;
      return transact(request, db, async (tx) => {
        await moveImage(tx, workspaceId, id, imageId, request.body.order);
        return findImage(tx, workspaceId, id, imageId, mediaUrl);
      });
    },
  );

  app.delete(
    '/products/:id/images/:imageId',
    {
      config: { scope: 'media:write', freesFiles: true },
      schema: {
        operationId: 'removeImage',
        tags: ['Images'],
        summary: 'Remove an image',
        description: 'With its file. The images behind it move up. Emits product.updated.',
        params: ofImage,
        response: { 200: Deleted },
      },
    },
    async (request) => {
      const { id, imageId } = request.params;
      await transact(request, db, (tx) => removeImage(tx, request.credential.workspaceId, id, imageId));
      return { id: imageId, deleted: true };
    },
  );
};
