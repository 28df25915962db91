import { createHash } from 'node:crypto';
import type { FastifyPluginAsync } from 'fastify';
import { FILE_POLICY } from '../platform/html/content-policy.js';
import { notFound } from '../platform/http/errors.js';
import { KEY, type LocalStorage } from './local-storage.js';
import { isWidth, type Width } from './responsive.js';
import { takeTurn } from './verification-turns.js';

/**
 * Serves published images in the widths of responsive.ts, as WebP. The first request for a width creates the resized
 * image and stores it for later requests. sharp works in its own threads and does not block the event loop.
 */
export const serveResized: FastifyPluginAsync<{ storage: LocalStorage }> = async (app, { storage }) => {
  const underWay = new Map<string, Promise<Buffer | undefined>>();

  app.get<{ Params: { width: string; '*': string } }>(
    '/media/w/:width/*',
    { schema: { hide: true } },
    async (request, reply) => {
      const { width, '*': path } = request.params;
      const key = path.replace(/\.webp$/, '');
      if (!isWidth(width) || key === path || !KEY.test(key)) throw notFound('Image', path);
      const bytes = await variant(key, width);
      if (!bytes) throw notFound('Image', path);
      return reply
        .headers({
          'Cache-Control': 'public, max-age=31536000, immutable',
          'X-Content-Type-Options': 'nosniff',
          'Content-Security-Policy': FILE_POLICY,
          'Cross-Origin-Resource-Policy': 'cross-origin',
          ETag: `"${createHash('sha256').update(`${width} ${key}`).digest('base64url').slice(0, 22)}"`,
        })
        .type('image/webp')
        .send(bytes);
    },
  );

  /** Requests for a resized image that is being created wait for it instead of creating it again. */
  function variant(key: string, width: Width): Promise<Buffer | undefined> {
    const name = `${width}/${key}`;
    const running = underWay.get(name) ?? readOrMake(key, width).finally(() => underWay.delete(name));
    underWay.set(name, running);
    return running;
  }

  async function readOrMake(key: string, width: Width): Promise<Buffer | undefined> {
    const kept = await storage.readVariant(key, width);
    if (kept) return kept;
    // The images of one product are resized one at a time. takeTurn also limits how many files of all products are
    // resized or verified at the same time.
    return takeTurn(key.split('/')[1] as string, async () => {
      const original = await storage.readPublished(key);
      if (!original) return undefined;
      // Imported on first use, because loading the native library would delay every start.
      const { default: sharp } = await import('sharp');
      const made = await sharp(original)
        .rotate()
        .resize({ width: Number(width), withoutEnlargement: true })
        .webp({ quality: 80 })
        .toBuffer();
      await storage.keepVariant(key, width, made);
      return made;
    });
  }
};
