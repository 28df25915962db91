import { pipeline, Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { streamEncoder } from './compress.js';
import { cutOffSlowReader } from './slow-readers.js';

export const NDJSON = 'application/x-ndjson';
const JSON_TYPE = 'application/json';

/** Returns whether Accept names NDJSON and does not prefer JSON. A wildcard does not count as NDJSON. */
export function prefersNdjson({ headers }: FastifyRequest): boolean {
  const { accept } = headers;
  if (!accept?.toLowerCase().includes(NDJSON)) return false;
  const weights = new Map<string, number>();
  for (const entry of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = entry.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(type, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  const weight = weights.get(NDJSON) ?? 0;
  return weight > 0 && weight >= (weights.get(JSON_TYPE) ?? 0);
}

/**
 * Streams lines as fast as the client reads them. `end` is called exactly once: when all lines were sent, the client
 * disconnected, or reading failed. A failure closes the connection before the last line is sent, so the client knows
 * that the stream is incomplete.
 */
export function sendNdjson(
  request: FastifyRequest,
  reply: FastifyReply,
  lines: AsyncIterable<Buffer>,
  end: () => void,
): FastifyReply {
  const source = Readable.from(lines, { objectMode: false });
  // `end` is not called in a finally block of the generator, because that block does not run if the generator was
  // never started.
  source.once('close', end);
  cutOffSlowReader(reply.raw);
  reply.type(NDJSON);
  const encoder = streamEncoder(request, reply);
  // The callback ignores errors, because they also reach the reply through the last stream of the pipeline.
  return reply.send(encoder ? pipeline(source, encoder, () => {}) : source);
}
