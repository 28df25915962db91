import type { FastifyReply } from 'fastify';

/** Sends a body that PostgreSQL has already serialized, bypassing the serializer. */
export function sendJson(reply: Pick<FastifyReply, 'header' | 'send'>, json: string | Buffer): never {
  reply.header('content-type', 'application/json; charset=utf-8');
  return reply.send(json) as never;
}

/** The body of a list whose records are already JSON. */
export function listBody(records: (string | Buffer)[], meta: object): Buffer {
  const pieces: Buffer[] = [OPEN];
  records.forEach((record, index) => {
    if (index > 0) pieces.push(COMMA);
    pieces.push(typeof record === 'string' ? Buffer.from(record) : record);
  });
  pieces.push(Buffer.from(`],"meta":${JSON.stringify(meta)}}`));
  return Buffer.concat(pieces);
}

const OPEN = Buffer.from('{"data":[');
const COMMA = Buffer.from(',');
