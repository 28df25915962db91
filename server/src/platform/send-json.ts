import type { FastifyReply } from 'fastify';

/** Sends a body that PostgreSQL has already written as JSON, past the serializer. */
export function sendJson(reply: Pick<FastifyReply, 'header' | 'send'>, json: string): never {
  reply.header('content-type', 'application/json; charset=utf-8');
  return reply.send(json) as never;
}
