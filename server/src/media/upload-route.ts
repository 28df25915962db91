import type { IncomingMessage } from 'node:http';
import type {} from '@fastify/swagger';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { MAX_BYTES } from './image-types.js';
import type { LocalStorage } from './local-storage.js';
import { StorageUnavailable } from './storage.js';
import { IncompleteUpload } from './write-durably.js';

type Put = { Params: { '*': string }; Querystring: Record<string, string | undefined> };

/** Receives uploads for local storage. It responds like S3, so clients can treat both alike. */
export const uploadRoute: FastifyPluginAsync<{ storage: LocalStorage }> = async (app, { storage }) => {
  app.removeAllContentTypeParsers();
  // The body is not parsed. It is written to the disk as it arrives.
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

  app.put<Put>('/uploads/*', {
    schema: { hide: true },
    bodyLimit: MAX_BYTES,
    // This runs before the framework checks the content type, so that an invalid type is reported as a signature
    // mismatch.
    async onRequest(request, reply) {
      const { expires = '', signature = '' } = request.query;
      const verdict = storage.verifyPut({
        key: request.params['*'],
        contentType: request.headers['content-type'] ?? '',
        contentLength: request.headers['content-length'] ?? '',
        expires,
        signature,
      });
      if (verdict === 'expired') return refuse(reply, 'AccessDenied', 'Request has expired');
      if (verdict === 'mismatch') return refuseMismatch(reply);
      if (verdict === 'used up')
        return refuse(reply, 'AccessDenied', 'This upload URL has been used ten times. Request a new one');
      return undefined;
    },
    async handler(request, reply) {
      try {
        await storage.stage(request.params['*'], request.raw);
      } catch (error) {
        if (error instanceof StorageUnavailable) return reportFailure(request, reply, error);
        if (!(error instanceof IncompleteUpload)) throw error;
        return sendXml(reply, 400, 'IncompleteBody', 'The body is shorter than its Content-Length');
      }
      return reply.code(200).send();
    },
  });

  app.route({
    method: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    url: '/uploads/*',
    schema: { hide: true },
    onRequest: async (_request, reply) => refuseMismatch(reply),
    handler: () => {},
  });
};

/**
 * Reports that the file could not be stored. The rest of the body is discarded, and the connection is closed after the
 * response.
 */
function reportFailure(
  request: FastifyRequest,
  reply: FastifyReply,
  { isFull, more: { cause } }: StorageUnavailable,
): FastifyReply {
  request.log.error({ requestId: request.id, err: cause }, 'upload could not be stored');
  discard(request.raw);
  reply.header('Connection', 'close').header('Retry-After', '60');
  return isFull
    ? sendXml(reply, 507, 'InsufficientStorage', 'The storage is full. Try again later')
    : sendXml(reply, 503, 'ServiceUnavailable', 'The storage is unavailable. Try again later');
}

function refuseMismatch(reply: FastifyReply): FastifyReply {
  return refuse(
    reply,
    'SignatureDoesNotMatch',
    'The method, key, Content-Type, Content-Length or expiry is not the one that was signed',
  );
}

function refuse(reply: FastifyReply, code: string, message: string): FastifyReply {
  discard(reply.request.raw);
  return sendXml(reply, 403, code, message);
}

/**
 * Many clients send the whole body before they read the response. If the connection were closed immediately, they
 * would never see the error. So a body of at most the maximum file size is read and discarded.
 */
function discard(bytes: IncomingMessage): void {
  let left = MAX_BYTES;
  bytes.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) bytes.destroy();
  });
  bytes.resume();
}

function sendXml(reply: FastifyReply, status: number, code: string, message: string): FastifyReply {
  return reply
    .code(status)
    .type('application/xml')
    .send(
      `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
    );
}
