import type {} from '@fastify/swagger';
import type { FastifyPluginAsync } from 'fastify';
import { unknownPath } from '../platform/http/errors.js';
import { accentStyles, readAccentColor } from './accent.js';

/** Serves the style sheet of a color. It depends only on the color, so shops with the same color share it. */
export const accentRoutes: FastifyPluginAsync = async (app) => {
  app.get<{ Params: { file: string } }>(
    '/assets/accent/:file',
    { schema: { hide: true } },
    async (request, reply) => {
      const { file } = request.params;
      const color = file.endsWith('.css') ? readAccentColor(file.slice(0, -4)) : undefined;
      if (color === undefined) throw unknownPath(request.url);
      return reply
        .type('text/css; charset=utf-8')
        .header('cache-control', 'public, max-age=86400')
        .send(accentStyles(color));
    },
  );
};
