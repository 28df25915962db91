import { mkdirSync } from 'node:fs';
import files from '@fastify/static';
import type { FastifyPluginAsync } from 'fastify';
import { KEY, type LocalStorage } from './local-storage.js';

/**
 * Published files, when they are local. A key never changes its bytes, so a browser may keep them for good; and even a
 * file that slipped through could run nothing: no sniffing, no script, no frame.
 */
export const serveMedia: FastifyPluginAsync<{ storage: LocalStorage }> = async (app, { storage }) => {
  mkdirSync(storage.published, { recursive: true });
  await app.register(files, {
    root: storage.published,
    prefix: '/media/',
    index: false,
    list: false,
    allowedPath: (path) => KEY.test(path.replace(/^\//, '')),
    cacheControl: false,
    decorateReply: false,
    setHeaders(reply) {
      reply.headers({
        'Cache-Control': 'public, max-age=31536000, immutable',
        'X-Content-Type-Options': 'nosniff',
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'Cross-Origin-Resource-Policy': 'cross-origin',
      });
    },
  });
};
