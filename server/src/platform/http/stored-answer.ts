import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

/** What is kept of an answer under an idempotency key, and for how much of it there is room. */
const MAX_STORED = 65_536;
const MIN_COMPRESSED = 1_024;
/** Of a refusal that is too large: whoever repeats it has seen the others. */
const KEPT_DETAILS = 100;

/** No answer of ours begins like these: all are JSON objects. */
const COMPRESSED = 'gzip:';
const READ_AGAIN = 'read again';

/**
 * The text to store. A PATCH of 14 bytes on a product with a thousand variations is answered with more than a megabyte: if
 * that is too large even compressed, only the fact that it was done is kept, provided that it can be read again.
 */
export async function packAnswer(body: string, canReadAgain: boolean): Promise<string> {
  if (body.length < MIN_COMPRESSED) return body;
  const packed = await compress(body);
  if (packed.length <= MAX_STORED) return packed;
  const { details } = JSON.parse(body) as { details?: unknown[] };
  if (details === undefined) return canReadAgain ? READ_AGAIN : packed;
  return details.length > KEPT_DETAILS ? compress(withFirstDetails(body)) : packed;
}

/** undefined when it has to be read again. */
export async function unpackAnswer(stored: string): Promise<string | undefined> {
  if (stored === READ_AGAIN) return undefined;
  if (!stored.startsWith(COMPRESSED)) return stored;
  const bytes = await promisify(gunzip)(Buffer.from(stored.slice(COMPRESSED.length), 'base64'));
  return bytes.toString('utf8');
}

/** In base64, because what is sealed is text. */
async function compress(body: string): Promise<string> {
  return COMPRESSED + (await promisify(gzip)(body, {})).toString('base64');
}

function withFirstDetails(body: string): string {
  const refusal = JSON.parse(body) as { details: unknown[] };
  return JSON.stringify({ ...refusal, details: refusal.details.slice(0, KEPT_DETAILS) });
}
