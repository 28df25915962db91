import type { FastifyReply, FastifyRequest } from 'fastify';
import { badRequest } from '../platform/http/errors.js';
import { NDJSON, sendNdjson } from '../platform/http/ndjson.js';
import type { SnapshotRecords, Snapshots } from './snapshots.js';

/** Sends all records of one consistent snapshot in response to a list request that accepts NDJSON. */
export async function sendSnapshot<R>(
  request: FastifyRequest,
  reply: FastifyReply,
  snapshots: Snapshots,
  records: SnapshotRecords<R>,
): Promise<never> {
  const [parameter] = Object.keys(request.query as object);
  if (parameter !== undefined)
    throw badRequest(
      `${parameter} is not allowed with Accept: ${NDJSON}, because a snapshot contains every record. Remove the parameter.`,
      'invalid_parameter',
    );
  if (request.method === 'HEAD') return reply.type(NDJSON).send(Buffer.alloc(0)) as never;
  const { workspaceId, clientId } = request.credential;
  const snapshot = await snapshots.open(workspaceId, clientId);
  return sendNdjson(request, reply, snapshot.read(records), () => void snapshot.end()) as never;
}
