import { randomBytes } from 'node:crypto';
import { encodedHmac } from '../platform/crypto/hmac.js';

const PREFIX = 'whsec_';

export function newWebhookSecret(): string {
  return asWebhookSecret(randomBytes(32));
}

export function asWebhookSecret(key: Buffer): string {
  return PREFIX + key.toString('base64');
}

export interface Secrets {
  current: string;
  /** The previous secret, set for 24 hours after a rotation. */
  previous?: string | undefined;
}

export interface Signable {
  event: string;
  /** The id of the event, which is the same for all attempts and redeliveries. */
  id: string;
  sequence?: number | undefined;
  origin?: string | undefined;
  attempt: number;
  body: string;
}

/**
 * Returns all headers of a delivery, including our own and the three of Standard Webhooks. Our signature uses the text
 * of the secret as the HMAC key. Standard Webhooks uses the 32 bytes that the text encodes.
 */
export function signedHeaders(delivery: Signable, secrets: Secrets, now: number): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const { current, previous } = secrets;
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Feira/1.0',
    'X-Service-Event': delivery.event,
    'X-Service-Signature-256': bodySignature(delivery.body, current),
    ...(previous !== undefined && {
      'X-Service-Signature-256-Previous': bodySignature(delivery.body, previous),
    }),
    'X-Service-Delivery': delivery.id,
    ...(delivery.sequence !== undefined && { 'X-Service-Sequence': String(delivery.sequence) }),
    ...(delivery.origin !== undefined && { 'X-Service-Origin': delivery.origin }),
    'X-Service-Attempt': String(delivery.attempt),
    'X-Service-Timestamp': timestamp,
    'webhook-id': delivery.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': [current, previous]
      .filter((secret) => secret !== undefined)
      .map((secret) => standardSignature(delivery, timestamp, secret))
      .join(' '),
  };
}

function bodySignature(body: string, secret: string): string {
  return `sha256=${encodedHmac(secret, body, 'hex')}`;
}

function standardSignature({ id, body }: Signable, timestamp: string, secret: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${encodedHmac(key, `${id}.${timestamp}.${body}`, 'base64')}`;
}
