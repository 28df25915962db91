import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { originOfApp } from '../events/names.js';
import type { Database } from '../platform/db/database.js';
import { notFound } from '../platform/http/errors.js';
import { Deleted } from '../platform/schema/shapes.js';
import { Type } from '../platform/schema/type.js';
import { prepareImage, recordImage, releaseImage } from './attach.js';
import { Image } from './image-record.js';
import { moveImage, removeImage, setImageOption } from './images.js';
import { findImage, listImages } from './queries.js';
import * as shape from './schema.js';
import { type Storage, UPLOAD_SECONDS } from './storage.js';
import { createUpload } from './uploads.js';

export interface MediaOptions {
  db: Database;
  storage: Storage;
  mediaUrl: string;
}

const ofProduct = Type.Object({ id: Type.String({ description: 'Product id' }) });
const ofImage = Type.Object({ id: Type.String({ description: 'Product id' }), imageId: Type.String() });

export const mediaRoutes: FastifyPluginAsyncTypebox<MediaOptions> = async (
  app,
  { db, storage, mediaUrl },
) => {
  app.post(
    '/uploads',
    {
      config: { scope: 'media:write', upload: true, bodyHasId: true },
      schema: {
        operationId: 'createUpload',
        tags: ['Images'],
        summary: 'Request an upload URL',
        description:
          'PUT the file to uploadUrl within five minutes, with exactly the headers that the response lists, then send the key to POST /products/{id}/images. Limited to 60 calls per minute and 5,000 per day, in addition to the general limit; the PUT itself is not counted.',
        body: shape.NewUpload,
        response: { 201: shape.SignedUpload },
      },
    },
    async (request, reply) => {
      const upload = await createUpload(
        request.store.autocommit,
        request.credential.workspaceId,
        request.body,
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
      const images = await listImages(
        request.store,
        request.credential.workspaceId,
        request.params.id,
        mediaUrl,
      );
      if (!images) throw notFound('Product', request.params.id);
      return { data: images };
    },
  );

  app.post(
    '/products/:id/images',
    {
      config: { scope: 'media:write', waitsOutside: true },
      schema: {
        operationId: 'attachImage',
        tags: ['Images'],
        summary: 'Attach an image',
        description:
          'Attaches an uploaded file by its key, or an image by its url. Every byte of an upload is verified; a file that is not an image of the declared type is deleted (422). Metadata such as GPS coordinates is removed before the file is published; pixels, orientation and color profile are kept. A product has at most 50 images (422). Emits product.updated.',
        params: ofProduct,
        body: shape.NewImage,
        response: { 201: Image },
      },
    },
    async (request, reply) => {
      const { workspaceId } = request.credential;
      const { id } = request.params;
      const prepared = await prepareImage(db.store(workspaceId), storage, workspaceId, id, request.body);
      try {
        const image = await request.store.transaction(async (tx) => {
          const imageId = await recordImage(tx, workspaceId, originOfApp(request.credential), id, prepared);
          return findImage(tx, workspaceId, id, imageId, mediaUrl);
        });
        return reply.code(201).send(image);
      } catch (error) {
        await releaseImage(db.store(workspaceId), workspaceId, prepared, error);
        throw error;
      }
    },
  );

  app.patch(
    '/products/:id/images/:imageId',
    {
      config: { scope: 'media:write' },
      schema: {
        operationId: 'moveImage',
        tags: ['Images'],
        summary: 'Move an image to another position, or set the option that it shows',
        params: ofImage,
        body: shape.ImageMove,
        response: { 200: Image },
      },
    },
    (request) => {
      const { workspaceId } = request.credential;
      const { id, imageId } = request.params;
      return request.store.transaction(async (tx) => {
        const origin = originOfApp(request.credential);
        const { order, option } = request.body;
        if (option !== undefined) {
          const shown = option === null ? null : shape.storedOption(option);
          await setImageOption(tx, workspaceId, origin, id, imageId, shown);
        }
        if (order !== undefined) await moveImage(tx, workspaceId, origin, id, imageId, order);
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
        description:
          'Also deletes the file of an uploaded image. The images after the removed one move up. Emits product.updated.',
        params: ofImage,
        response: { 200: Deleted },
      },
    },
    async (request) => {
      const { id, imageId } = request.params;
      await request.store.transaction((tx) =>
        removeImage(tx, request.credential.workspaceId, originOfApp(request.credential), id, imageId),
      );
      return { id: imageId, deleted: true };
    },
  );
};
