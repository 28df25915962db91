import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parse } from 'secure-json-parse';
import { badRequest } from './errors.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route also accepts a bare array, which is treated as an object with this one field. */
    bareArray?: string;
    /** The body may be omitted. */
    bodyOptional?: boolean;
  }
}

export const MAX_BODY = 1_048_576;

/**
 * Keeps bodies as bytes until a separate hook parses them. Hooks that need the bytes (idempotency keys) run before that
 * hook, and every malformed body gets our own 400 instead of an error of the framework.
 */
export function keepRawBodies(app: FastifyInstance, bodyLimit = MAX_BODY): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, bytes, done) =>
    done(null, bytes),
  );
}

/** The media type in lower case without parameters, or undefined if the header is missing. */
export function mediaTypeOf({ headers }: FastifyRequest): string | undefined {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
}

export function parseJsonBody(request: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void {
  try {
    readBody(request);
  } catch (error) {
    done(error as Error);
    return;
  }
  done();
}

function readBody(request: FastifyRequest): void {
  const { config } = request.routeOptions;
  const bytes = request.body as Buffer | undefined;
  if (bytes === undefined || bytes.length === 0) {
    if (config.bodyOptional) {
      request.body = {};
      return;
    }
    throw badRequest('The body is empty. This call requires a JSON object', 'invalid_json');
  }
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding !== 'identity') {
    throw badRequest(
      `Content-Encoding ${encoding.slice(0, 40)} is not supported. Send the body uncompressed`,
      'unsupported_content_encoding',
    );
  }
  const type = mediaTypeOf(request);
  if (type !== 'application/json') {
    throw badRequest(
      type
        ? `Content-Type must be application/json, not ${type}`
        : 'Content-Type is missing. Send application/json',
      'unsupported_content_type',
    );
  }
  const body = jsonOf(bytes);
  if (Array.isArray(body) && config.bareArray) request.body = { [config.bareArray]: body };
  else if (typeof body === 'object' && body !== null && !Array.isArray(body)) request.body = body;
  else throw badRequest(`The body must be a JSON object, not ${kindOf(body)}`, 'invalid_json');
}

function jsonOf(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw badRequest('The body is not valid UTF-8', 'invalid_json');
  try {
    return parse(bytes.toString('utf8'), { protoAction: 'error', constructorAction: 'ignore' });
  } catch (error) {
    const message = (error as Error).message;
    if (message.includes('forbidden prototype property'))
      throw badRequest('The body contains a __proto__ key', 'invalid_json');
    throw badRequest(`The body is not valid JSON: ${message}`, 'invalid_json');
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
