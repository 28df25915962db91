import files from '@fastify/static';
import type { FastifyPluginAsync } from 'fastify';
import { FILE_POLICY } from '../platform/html/content-policy.js';
import { KEY, type LocalStorage } from './local-storage.js';

/**
 * Serves published files from local storage. A published file never changes, so browsers may cache it forever. The
 * headers forbid content sniffing, scripts and further requests, so that even a malicious file that passed verification
 * could not execute anything.
 */
export const serveMedia: FastifyPluginAsync<{ storage: LocalStorage }> = async (app, { storage }) => {
  storage.prepare();
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
        'Content-Security-Policy': FILE_POLICY,
        'Cross-Origin-Resource-Policy': 'cross-origin',
      });
    },
  });
};
