import { base64, hmac, hmacKey } from './hmac.js';
import type { EventPayloads } from './types.js';

export interface Delivery<Name extends keyof EventPayloads = keyof EventPayloads> {
  event: Name;
  data: EventPayloads[Name];
  /** The store of the event. Default: a fixed id, the same for all deliveries. */
  workspaceId?: string;
  /** The id of the event. Default: a random id. */
  id?: string;
  /**
   * The sequence number. Default 1. `Webhooks` drops an event as stale if it has received a later one of the same name
   * for the same resource.
   */
  sequence?: number;
  /** What caused the event. Default: storefront. */
  origin?: string;
  /** The number of the attempt. Default 1. */
  attempt?: number;
  /** The time of the signature. Default: now. */
  at?: Date;
}

export interface SignedDelivery {
  body: string;
  headers: Record<string, string>;
}

/**
 * Creates a delivery as Feira sends it, for tests of your receiver. `previousSecret` adds signatures made
 * with the old secret, as Feira does while a secret is being rotated.
 */
export async function sign<Name extends keyof EventPayloads>(
  delivery: Delivery<Name>,
  secret: string,
  { previousSecret }: { previousSecret?: string } = {},
): Promise<SignedDelivery> {
  const {
    event,
    data,
    workspaceId = '01a1df25-1111-7c23-b2dc-ac78e5c21043',
    id = crypto.randomUUID(),
  } = delivery;
  const { sequence = 1, origin = 'storefront', attempt = 1, at = new Date() } = delivery;
  const body = JSON.stringify({ event, workspaceId, data });
  const time = String(Math.floor(at.getTime() / 1_000));
  const secrets = [secret, ...(previousSecret === undefined ? [] : [previousSecret])];
  const [ofBody, ofPrevious] = await Promise.all(secrets.map((each) => bodySignature(each, body)));
  const standard = await Promise.all(secrets.map((each) => standardSignature(each, `${id}.${time}.${body}`)));
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-service-event': event,
      'x-service-signature-256': ofBody as string,
      ...(ofPrevious && { 'x-service-signature-256-previous': ofPrevious }),
      'x-service-delivery': id,
      'x-service-sequence': String(sequence),
      'x-service-origin': origin,
      'x-service-attempt': String(attempt),
      'x-service-timestamp': time,
      'webhook-id': id,
      'webhook-timestamp': time,
      'webhook-signature': standard.join(' '),
    },
  };
}

async function bodySignature(secret: string, body: string): Promise<string> {
  const digest = await hmac(await hmacKey(secret), body);
  return `sha256=${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

async function standardSignature(secret: string, message: string): Promise<string> {
  const key = Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (character) => character.charCodeAt(0));
  return `v1,${base64(await hmac(await hmacKey(key), message))}`;
}
