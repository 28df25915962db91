import { WebhookError } from './errors.js';

const MAX_BYTES = 1_048_576;

export interface NodeRequest extends AsyncIterable<Uint8Array | string> {
  headers: Record<string, string | string[] | undefined>;
  body?: unknown;
}

export interface NodeResponse {
  statusCode: number;
  end(body?: string): unknown;
}

/** An instance of any version of Fastify. Fastify's own types differ too much between versions. */
export interface FastifyLike {
  addContentTypeParser: (...args: never[]) => unknown;
  post: (...args: never[]) => unknown;
}

/** The part of Fastify's interface that the SDK uses. */
export interface FastifyCalls {
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer' },
    parser: (request: unknown, body: Uint8Array, done: (error: null, body: unknown) => void) => void,
  ): unknown;
  post(
    path: string,
    handler: (
      request: { body: unknown; headers: Record<string, unknown> },
      reply: { code(status: number): { send(body?: string): unknown } },
    ) => Promise<unknown>,
  ): unknown;
}

/** Returns the body that an earlier parser has stored in `body`, otherwise the bytes of the request. */
export async function rawBody(request: NodeRequest): Promise<unknown> {
  if (request.body !== undefined) return request.body;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
    size += bytes.length;
    if (size > MAX_BYTES)
      throw new WebhookError('body_too_large', 413, 'The body exceeds 1 MB, the limit of this handler');
    chunks.push(bytes);
  }
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}
