import { hmacKey } from '../hmac.js';
import { WebhookError } from './errors.js';
import { PREFIX } from './secret.js';

const encoder = new TextEncoder();

type Header = (name: string) => string;
type Check = (body: Uint8Array<ArrayBuffer>, secrets: string[]) => Promise<boolean>;

/**
 * The signature of Standard Webhooks: HMAC of id.timestamp.body with the decoded secret. The header contains one
 * signature for each active secret.
 */
export function standardSignature(header: Header): Check {
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

/**
 * Our own signature: HMAC of the body with the text of the secret. After a rotation, a second header contains the
 * signature with the old secret.
 */
export function bodySignature(header: Header): Check {
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

/** Returns whether any of the signatures matches. subtle.verify compares in constant time. */
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

function missing(header: string): WebhookError {
  return new WebhookError(
    'missing_signature',
    401,
    `The request has no ${header} header: the request is not from Feira, or a proxy removed the header`,
  );
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
