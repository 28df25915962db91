import type {} from '@fastify/swagger';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { MAX_BYTES } from './image-types.js';
import type { LocalStorage } from './local-storage.js';

type Put = { Params: { '*': string }; Querystring: Record<string, string | undefined> };

/** The address that takes the bytes when files are local. It speaks as S3 does, so that clients need not know. */
export const uploadRoute: FastifyPluginAsync<{ storage: LocalStorage }> = async (app, { storage }) => {
  app.removeAllContentTypeParsers();
  // The bytes are not parsed: they go to the disk as they come.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));

  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({
      'Access-Control-Allow-Origin': '*',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
    });
  });

  app.options('/uploads/*', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .headers({
        'Access-Control-Allow-Methods': 'PUT',
        'Access-Control-Allow-Headers': 'content-type',
        'Access-Control-Max-Age': '300',
      })
      .code(204)
      .send(),
  );

  app.put<Put>('/uploads/*', { schema: { hide: true }, bodyLimit: MAX_BYTES }, async (request, reply) => {
    const key = request.params['*'];
    const { expires = '', signature = '' } = request.query;
    const verdict = storage.judgePut({
      key,
      contentType: request.headers['content-type'] ?? '',
      contentLength: request.headers['content-length'] ?? '',
      expires,
      signature,
    });
    if (verdict === 'expired') return refuse(reply, 'AccessDenied', 'Request has expired');
    if (verdict === 'mismatch') {
      return refuse(
        reply,
        'SignatureDoesNotMatch',
        'The method, key, Content-Type, Content-Length or expiry is not the one that was signed',
      );
    }
    await storage.stage(key, request.raw);
    return reply.code(200).send();
  });
};

function refuse(reply: FastifyReply, code: string, message: string): FastifyReply {
  // The rest of the bytes is not wanted: the connection ends with the answer.
  reply.header('Connection', 'close');
  return reply
    .code(403)
    .type('application/xml')
    .send(
      `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
    );
}
