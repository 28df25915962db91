import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { type Answered, DocumentChecker } from './document.js';

/** All servers of a test worker share one checker, because they serve the same document. */
let checker: DocumentChecker | undefined;

/**
 * Compares every response of the server with its openapi.json, except those that `inject` returns as a stream. `inject`
 * rejects if the response contradicts the document. Contradictions in responses over a socket are collected in
 * `faults`, and `Feira.close` throws them.
 */
export async function checkAnswers(app: FastifyInstance): Promise<{ faults: string[] }> {
  checker ??= new DocumentChecker((await app.inject('/openapi.json')).json());
  const check = checker;
  const inject = app.inject.bind(app) as (options: InjectOptions | string) => Promise<Injected>;
  const checked = async (options: InjectOptions | string) => {
    const response = await inject(options);
    if (typeof options === 'object' && options.payloadAsStream) return response;
    // Uses the request as the server received it, because inject resolves "." and ".." in a path.
    const { method = 'GET', url = '/' } = response.raw.req;
    const fault = check.faultOf({
      method,
      url,
      status: response.statusCode,
      contentType: text(response.headers['content-type']),
      body: decode(text(response.headers['content-encoding']), response.rawPayload),
    });
    if (fault) throw new Error(fault);
    return response;
  };
  Object.assign(app, { inject: checked });
  const faults: string[] = [];
  app.server.prependListener('request', (request, response) =>
    capture(request, response, (answered) => {
      const fault = check.faultOf(answered);
      if (fault) faults.push(fault);
    }),
  );
  return { faults };
}

/** Returns the contradiction between the body of a delivery and the OpenAPI document, if any. */
export function deliveryFault(body: string): string | undefined {
  return checker?.faultOfDelivery(body);
}

interface Injected {
  raw: { req: { method?: string; url?: string } };
  statusCode: number;
  headers: Record<string, string | string[] | number | undefined>;
  rawPayload: Buffer;
}

function capture(
  request: IncomingMessage,
  response: ServerResponse,
  done: (answered: Answered) => void,
): void {
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as string));
  };
  const { write, end, writeHead } = response;
  const heads: object[] = [];
  response.writeHead = ((...args: unknown[]) => {
    heads.push(...args.filter((each): each is object => typeof each === 'object' && each !== null));
    return Reflect.apply(writeHead, response, args);
  }) as typeof writeHead;
  response.write = ((chunk: unknown, ...rest: unknown[]) => {
    keep(chunk);
    return Reflect.apply(write, response, [chunk, ...rest]);
  }) as typeof write;
  response.end = ((chunk: unknown, ...rest: unknown[]) => {
    keep(chunk);
    return Reflect.apply(end, response, [chunk, ...rest]);
  }) as typeof end;
  // getHeader does not return headers that were passed only to writeHead.
  const headerOf = (name: string): string | undefined => {
    const given = Object.entries(Object.assign({}, ...heads)).find(([each]) => each.toLowerCase() === name);
    return text(given?.[1] ?? response.getHeader(name));
  };
  response.once('finish', () =>
    done({
      method: request.method ?? 'GET',
      url: request.url ?? '/',
      status: response.statusCode,
      contentType: headerOf('content-type'),
      body: decode(headerOf('content-encoding'), Buffer.concat(chunks)),
    }),
  );
}

function decode(encoding: string | undefined, bytes: Buffer): string {
  if (bytes.length === 0) return '';
  if (encoding === 'gzip') return gunzipSync(bytes).toString('utf8');
  if (encoding === 'br') return brotliDecompressSync(bytes).toString('utf8');
  return (encoding === 'deflate' ? inflateSync(bytes) : bytes).toString('utf8');
}

function text(header: unknown): string | undefined {
  return header === undefined ? undefined : String(header);
}
