import { hmacKey } from '../hmac.js';
import type { WebhookEvent } from '../webhooks.js';

export interface WebhookSettings {
  /** The secret of the subscription, or several: of several subscriptions, or of a rotation. */
  secret: string | string[];
  /** How old a delivery may be. Default 300. */
  toleranceSeconds?: number;
  /**
   * Which signature is checked. Every delivery carries both. `standard` (Standard Webhooks, the default) covers the id and
   * the time as well; `service` (X-Service-Signature-256) covers the body alone, so a recorded delivery can be sent again.
   */
  scheme?: 'standard' | 'service';
  /** Milliseconds since 1970, for tests. */
  now?: () => number;
}

export type WebhookErrorCode =
  | 'body_parsed'
  | 'body_changed'
  | 'body_too_large'
  | 'missing_signature'
  | 'wrong_signature'
  | 'wrong_time'
  | 'wrong_secret_form';

export class WebhookError extends Error {
  override readonly name = 'WebhookError';

  constructor(
    readonly code: WebhookErrorCode,
    /** What the sender is answered. */
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const PREFIX = 'whsec_';
const TOLERANCE_SECONDS = 300;
const encoder = new TextEncoder();

/** Throws when a secret is not the whole text that was shown on creation. */
export function checkSecret(secret: unknown): void {
  const is = typeof secret !== 'string' ? `a value of type ${typeof secret}` : wrongForm(secret);
  if (is)
    throw new WebhookError(
      'wrong_secret_form',
      500,
      `The secret must be the whole text shown on creation, ${PREFIX} and 44 characters. This one is ${is}`,
    );
}

function wrongForm(secret: string): string | undefined {
  if (secret !== secret.trim()) return 'surrounded by spaces or line breaks';
  if (!secret.startsWith(PREFIX)) return `without ${PREFIX}`;
  return /^[A-Za-z0-9+/]{43}=$/.test(secret.slice(PREFIX.length)) ? undefined : 'cut off or changed';
}

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
        'The body was parsed and written again. Pass on the bytes as received',
      );
    throw new WebhookError(
      'wrong_signature',
      401,
      'The signature does not match: the secret is of another subscription or was rotated, or the sender is not Feira',
    );
  }
  checkTime(Number(header('webhook-timestamp') || header('x-service-timestamp')), settings);
  return {
    ...JSON.parse(new TextDecoder().decode(bytes)),
    id: header('x-service-delivery') || header('webhook-id'),
    sequence: Number(header('x-service-sequence')),
    origin: header('x-service-origin'),
    attempt: Number(header('x-service-attempt')),
  };
}

type Header = (name: string) => string;
type Check = (body: Uint8Array<ArrayBuffer>, secrets: string[]) => Promise<boolean>;

/** Standard Webhooks: keyed with the decoded secret, over id.timestamp.body. One signature per live secret. */
function standardSignature(header: Header): Check {
  const [id, time, given] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(header) as [
    string,
    string,
    string,
  ];
  if (!given) throw missing('webhook-signature');
  const signatures = given.split(' ').map((each) => decode(each.replace(/^v1,/, '')));
  return (body, secrets) => {
    const start = encoder.encode(`${id}.${time}.`);
    const message = new Uint8Array(start.length + body.length);
    message.set(start);
    message.set(body, start.length);
    return someMatch(
      secrets.map((secret) => decode(secret.slice(PREFIX.length))),
      signatures,
      message,
    );
  };
}

/** Keyed with the text of the secret, over the body. After a rotation, a second header has the old secret's. */
function bodySignature(header: Header): Check {
  const name = 'x-service-signature-256';
  const given = [header(name), header(`${name}-previous`)].filter(Boolean);
  if (given.length === 0) throw missing(name);
  const signatures = given.map((each) =>
    Uint8Array.from(each.replace(/^sha256=/, '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)),
  );
  return (body, secrets) =>
    someMatch(
      secrets.map((secret) => encoder.encode(secret)),
      signatures,
      body,
    );
}

/** subtle.verify compares in constant time. */
async function someMatch(
  keys: Uint8Array<ArrayBuffer>[],
  signatures: Uint8Array<ArrayBuffer>[],
  message: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  for (const key of await Promise.all(keys.map(hmacKey)))
    for (const signature of signatures)
      if (await crypto.subtle.verify('HMAC', key, signature, message)) return true;
  return false;
}

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  // Not instanceof: test runners such as Jest have a second Uint8Array.
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  if (typeof body === 'string') return encoder.encode(body);
  throw new WebhookError(
    'body_parsed',
    500,
    'The body was already parsed, and the signature covers its bytes. Mount the webhook before express.json(), or use express.raw({ type: "*/*" }) there',
  );
}

/** As Feira writes JSON. undefined if it is written like that already. */
function rewritten(bytes: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  try {
    const text = new TextDecoder().decode(bytes);
    const written = JSON.stringify(JSON.parse(text));
    return written === text ? undefined : encoder.encode(written);
  } catch {
    return undefined;
  }
}

/** Only after the signature, which covers the time: before, anybody could choose which error we report. */
function checkTime(
  seconds: number,
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now }: WebhookSettings,
): void {
  const age = Math.round(now() / 1_000 - seconds);
  if (Math.abs(age) <= toleranceSeconds) return;
  const when = age > 0 ? `${age} seconds ago` : `${-age} seconds in the future`;
  throw new WebhookError(
    'wrong_time',
    401,
    `The delivery was signed ${when}; ${toleranceSeconds} are allowed. Check the clock of this machine`,
  );
}

function missing(header: string): WebhookError {
  return new WebhookError(
    'missing_signature',
    401,
    `The request has no ${header} header: it is not from Feira, or a proxy removed it`,
  );
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
