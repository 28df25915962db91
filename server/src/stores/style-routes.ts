import type {} from '@fastify/swagger';
import type { FastifyPluginAsync } from 'fastify';
import { compress } from '../platform/http/compress.js';
import { unknownPath } from '../platform/http/errors.js';
import { accentStyles, readAccentColor } from './accent.js';
import { SHOP_STYLES_PATH, shopStyles } from './shop-styles.js';

/** Serves the style sheets of shops. */
export const shopStyleRoutes: FastifyPluginAsync = async (app) => {
  const schema = { hide: true };

  app.get(SHOP_STYLES_PATH, { schema, onSend: compress }, async (request, reply) => {
    const { css, url } = shopStyles();
    return reply
      .type('text/css; charset=utf-8')
      .header('cache-control', `public, max-age=${request.url === url ? '31536000, immutable' : '3600'}`)
      .send(css);
  });

  // The style sheet depends only on the color, so shops with the same color share it.
  app.get<{ Params: { file: string } }>('/assets/accent/:file', { schema }, async (request, reply) => {
    const { file } = request.params;
    const color = file.endsWith('.css') ? readAccentColor(file.slice(0, -4)) : undefined;
    if (color === undefined) throw unknownPath(request.url);
    return reply
      .type('text/css; charset=utf-8')
      .header('cache-control', 'public, max-age=86400')
      .send(accentStyles(color));
  });
};
