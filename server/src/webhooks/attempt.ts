import type { Clock } from '../platform/clock.js';
import { type Seal, type SealedFor, UnreadableSealError } from '../platform/crypto/seal.js';
import type { OutboundError } from '../platform/outbound/exchange.js';
import type { Outbound } from '../platform/outbound/post.js';
import { type Secrets, signedHeaders } from './signing.js';

export interface Target {
  workspaceId: string;
  webhookId: string;
  url: string;
  secret: Buffer;
  previousSecret: Buffer | null;
  previousUntil: string | null;
}

export interface Message {
  /** The id of the event. */
  id: string;
  event: string;
  /** Absent for a ping, which is not an event of the store. */
  sequence?: number;
  origin?: string;
  workspaceId: string;
  data: unknown;
}

export interface AttemptResult {
  delivered: boolean;
  statusCode: number | null;
  error: OutboundError | 'redirect' | 'bad_status' | 'secret_unreadable' | null;
  durationMs: number;
  response: string | null;
}

/** Makes one attempt: signs the message and sends it. The body and the event id do not depend on the attempt. */
export async function attempt(
  parts: { outbound: Outbound; seal: Pick<Seal, 'open'>; clock: Clock },
  target: Target,
  message: Message,
  number: number,
): Promise<AttemptResult> {
  const now = parts.clock.now();
  const secrets = openSecrets(parts.seal, target, now);
  if (!secrets)
    return {
      delivered: false,
      statusCode: null,
      error: 'secret_unreadable',
      durationMs: 0,
      response: null,
    };
  return postSigned(parts.outbound, target.url, message, { secrets, number, now });
}

/** Sends the signed POST. The command that forwards events to a developer's machine calls this function directly. */
export async function postSigned(
  outbound: Outbound,
  url: string,
  { id, event, sequence, origin, workspaceId, data }: Message,
  { secrets, number, now }: { secrets: Secrets; number: number; now: number },
): Promise<AttemptResult> {
  const body = JSON.stringify({ event, workspaceId, data });
  const headers = signedHeaders({ event, id, sequence, origin, attempt: number, body }, secrets, now);
  const answer = await outbound.post(url, headers, body);
  const error = answer.error ?? statusFault(answer.statusCode as number);
  return {
    delivered: error === null,
    statusCode: answer.statusCode,
    error,
    durationMs: answer.durationMs,
    response: answer.excerpt,
  };
}

/**
 * Decrypts secrets and caches the last one decrypted for each subscription, because decryption takes 11 µs of the
 * 270 µs that a worker needs for a delivery.
 */
export class OpenedSecrets {
  private readonly known = new Map<string, { sealed: Buffer; text: string }>();

  constructor(private readonly seal: Pick<Seal, 'open'>) {}

  open(sealed: Buffer, owner: SealedFor): string {
    const known = this.known.get(owner.id);
    if (known?.sealed.equals(sealed)) return known.text;
    const text = this.seal.open(sealed, owner);
    if (this.known.size >= MAX_OPENED) this.known.clear();
    this.known.set(owner.id, { sealed, text });
    return text;
  }
}

const MAX_OPENED = 10_000;

/**
 * Returns undefined if the webhook secret cannot be decrypted, which happens if FEIRA_SECRET was changed and the old
 * value is not in FEIRA_SECRET_PREVIOUS. The attempt then counts as failed, so that the partner sees the reason in the
 * log. Rotating the webhook secret repairs the subscription: the unreadable secret becomes the previous one, and an
 * unreadable previous secret is not used for signing.
 */
function openSecrets(seal: Pick<Seal, 'open'>, target: Target, now: number): Secrets | undefined {
  const owner = webhookSecretOwner(target.workspaceId, target.webhookId);
  const open = (sealed: Buffer): string | undefined => {
    try {
      return seal.open(sealed, owner);
    } catch (error) {
      if (error instanceof UnreadableSealError) return undefined;
      throw error;
    }
  };
  const current = open(target.secret);
  if (current === undefined) return undefined;
  const previousIsValid = target.previousSecret !== null && Date.parse(target.previousUntil ?? '') > now;
  return { current, previous: previousIsValid ? open(target.previousSecret as Buffer) : undefined };
}

export function webhookSecretOwner(workspaceId: string, webhookId: string): SealedFor {
  return { purpose: 'webhook secret', workspaceId, id: webhookId };
}

/** Any status outside 2xx is a failure. Redirects are not followed, because their target has not been checked. */
function statusFault(status: number): 'redirect' | 'bad_status' | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'redirect' : 'bad_status';
}
