import type { FastifyReply } from 'fastify';

/** Sends a body that is already JSON text, without the serializer of the framework. */
export function sendJson(reply: Pick<FastifyReply, 'header' | 'send'>, json: string | Buffer): never {
  reply.header('content-type', 'application/json; charset=utf-8');
  return reply.send(json) as never;
}

/** Builds the body of a list. `records` is already JSON text, with commas between the records. */
export function listBody(records: Buffer, meta: object): Buffer {
  return Buffer.concat([OPEN, records, Buffer.from(`],"meta":${JSON.stringify(meta)}}`)]);
}

const OPEN = Buffer.from('{"data":[');
