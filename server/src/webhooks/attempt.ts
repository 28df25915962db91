import type { Clock } from '../platform/clock.js';
import type { Outbound, OutboundError } from '../platform/outbound/post.js';
import type { Seal } from '../platform/seal.js';
import { signedHeaders } from './signing.js';

export interface Target {
  url: string;
  secret: Buffer;
  previousSecret: Buffer | null;
  previousUntil: string | null;
}

export interface Message {
  /** The event's id. */
  id: string;
  event: string;
  /** Absent on a ping, which is no event of the store. */
  sequence?: number;
  origin?: string;
  workspaceId: string;
  data: unknown;
}

export interface AttemptResult {
  delivered: boolean;
  statusCode: number | null;
  error: OutboundError | 'redirect' | 'bad_status' | null;
  durationMs: number;
  response: string | null;
}

/** One signed POST. The bytes are the same on every attempt; only the time and what is made from it differ. */
export async function attempt(
  parts: { outbound: Outbound; seal: Seal; clock: Clock },
  target: Target,
  message: Message,
  number: number,
): Promise<AttemptResult> {
  const { id, event, sequence, origin, workspaceId, data } = message;
  const body = JSON.stringify({ event, workspaceId, data });
  const now = parts.clock.now();
  const previousLives = target.previousSecret !== null && Date.parse(target.previousUntil ?? '') > now;
  const secrets = {
    current: parts.seal.open(target.secret),
    previous: previousLives ? parts.seal.open(target.previousSecret as Buffer) : undefined,
  };
  const headers = signedHeaders({ event, id, sequence, origin, attempt: number, body }, secrets, now);
  const answer = await parts.outbound.post(target.url, headers, body);
  const error = answer.error ?? statusFault(answer.statusCode as number);
  return {
    delivered: error === null,
    statusCode: answer.statusCode,
    error,
    durationMs: answer.durationMs,
    response: answer.excerpt,
  };
}

/** Anything outside 2xx has failed. A redirect is not followed: it would lead where nobody checked. */
function statusFault(status: number): 'redirect' | 'bad_status' | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'redirect' : 'bad_status';
}
