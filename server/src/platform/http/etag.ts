import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** If true, responses of the route have an ETag, and the route supports If-None-Match. */
    etag?: boolean;
  }
}

/**
 * Sets the ETag of a 200 response to the hash of its uncompressed body, unless the route has already set one. Responds
 * with 304 if the client has this version.
 */
export function tagResource(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  if (reply.statusCode !== 200 || !isBody(payload)) {
    done(null, payload);
    return;
  }
  const atHand = reply.getHeader('etag') as string | undefined;
  const tag = atHand ?? `"${hash('sha1', payload, 'base64url')}"`;
  if (atHand === undefined) reply.header('etag', tag);
  reply.header('cache-control', 'private, no-cache');
  if (matchesTag(request.headers['if-none-match'], tag)) {
    reply.code(304).removeHeader('content-type').removeHeader('content-length');
    // For HEAD, pass on the body: the framework removes it, and fails if there is none.
    done(null, request.method === 'HEAD' ? payload : null);
    return;
  }
  done(null, payload);
}

function isBody(payload: unknown): payload is string | Buffer {
  return typeof payload === 'string' || Buffer.isBuffer(payload);
}

export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag);
}
