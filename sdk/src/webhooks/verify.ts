import type { WebhookEvent } from '../webhooks.js';
import { WebhookError } from './errors.js';
import { bodySignature, standardSignature } from './signatures.js';

export interface WebhookSettings {
  /** The secret of the subscription. Pass several for several subscriptions or during a rotation. */
  secret: string | string[];
  /** By how many seconds the time of a delivery may differ from the current time. Default 300. */
  toleranceSeconds?: number;
  /**
   * Which signature is checked. Every delivery has both. `standard` (Standard Webhooks, the default) covers the id, the
   * time and the body. `service` (X-Service-Signature-256) covers only the body, so it does not detect a recorded
   * delivery that is sent again.
   */
  scheme?: 'standard' | 'service';
  /** Returns the current time in milliseconds since 1970. Set it in tests. */
  now?: () => number;
}

const TOLERANCE_SECONDS = 300;
const encoder = new TextEncoder();

export async function verifyDelivery(
  body: unknown,
  headers: Headers | Record<string, unknown>,
  settings: WebhookSettings,
): Promise<WebhookEvent> {
  const bytes = bytesOf(body);
  const header = (name: string) => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    return typeof value === 'string' ? value : '';
  };
  const check = settings.scheme === 'service' ? bodySignature(header) : standardSignature(header);
  const secrets = [settings.secret].flat();
  if (!(await check(bytes, secrets))) {
    const written = rewritten(bytes);
    if (written && (await check(written, secrets)))
      throw new WebhookError(
        'body_changed',
        500,
        'The body was parsed and serialized again. Pass the bytes as they were received',
      );
    throw new WebhookError(
      'wrong_signature',
      401,
      'The signature does not match: the secret belongs to another subscription or was rotated, or the sender is not Feira',
    );
  }
  checkTime(header('webhook-timestamp') || header('x-service-timestamp'), settings);
  return {
    ...JSON.parse(new TextDecoder().decode(bytes)),
    // Feira sends the same id in webhook-id and x-service-delivery, but the standard signature covers only webhook-id.
    // With `standard`, if the id were read from x-service-delivery, a recorded delivery could be sent again under a new
    // id and would be handled twice.
    id: (settings.scheme === 'service' && header('x-service-delivery')) || header('webhook-id'),
    sequence: Number(header('x-service-sequence')),
    origin: header('x-service-origin'),
    attempt: Number(header('x-service-attempt')),
  };
}

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  // instanceof would fail in test runners such as Jest, which have a Uint8Array of their own.
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  if (typeof body === 'string') return encoder.encode(body);
  throw new WebhookError(
    'body_parsed',
    500,
    'The body was already parsed, and the signature covers its bytes. Mount the webhook before express.json(), or behind express.raw({ type: "*/*" })',
  );
}

/** Returns the body formatted as Feira writes JSON, or undefined if it already has that format or is not JSON. */
function rewritten(bytes: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  try {
    const text = new TextDecoder().decode(bytes);
    const written = JSON.stringify(JSON.parse(text));
    return written === text ? undefined : encoder.encode(written);
  } catch {
    return undefined;
  }
}

/** Called after the signature check, because the standard signature covers the time. */
function checkTime(
  timestamp: string,
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now }: WebhookSettings,
): void {
  const seconds = Number(timestamp || Number.NaN);
  if (!Number.isFinite(seconds))
    throw new WebhookError('wrong_time', 401, 'The header webhook-timestamp is missing or is not a number');
  const age = Math.round(now() / 1_000 - seconds);
  if (Math.abs(age) <= toleranceSeconds) return;
  const when = age > 0 ? `${age} seconds ago` : `${-age} seconds in the future`;
  throw new WebhookError(
    'wrong_time',
    401,
    `The delivery was signed ${when}; the limit is ${toleranceSeconds} seconds. Check the clock of this machine`,
  );
}
