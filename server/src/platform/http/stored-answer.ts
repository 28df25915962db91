import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

/**
 * The intended maximum length of a stored response. If a response is longer even when compressed, packAnswer stores
 * only a marker or omits some `details`. If neither is possible, it stores the whole response.
 */
const MAX_STORED = 65_536;
const MIN_COMPRESSED = 1_024;
/**
 * If an error response is too large, only this many of its `details` are stored. The original response contained all of
 * them.
 */
const KEPT_DETAILS = 100;

/** A response cannot begin with one of these markers, because every response is empty or a JSON object. */
const COMPRESSED = 'gzip:';
const READ_AGAIN = 'read again';

/**
 * Returns the text to store for a response. Even a small request can have a large response: a PATCH of 14 bytes on a
 * product with a thousand variations returns more than a megabyte. If a response is too large even when compressed and
 * the resource can be read again, only a marker is stored.
 */
export async function packAnswer(body: string, canReadAgain: boolean): Promise<string> {
  if (body.length < MIN_COMPRESSED) return body;
  const packed = await compress(body);
  if (packed.length <= MAX_STORED) return packed;
  const { details } = JSON.parse(body) as { details?: unknown[] };
  if (details === undefined) return canReadAgain ? READ_AGAIN : packed;
  return details.length > KEPT_DETAILS ? compress(withFirstDetails(body)) : packed;
}

/** Returns undefined if the resource has to be read again. */
export async function unpackAnswer(stored: string): Promise<string | undefined> {
  if (stored === READ_AGAIN) return undefined;
  if (!stored.startsWith(COMPRESSED)) return stored;
  const bytes = await promisify(gunzip)(Buffer.from(stored.slice(COMPRESSED.length), 'base64'));
  return bytes.toString('utf8');
}

/** The result is encoded as base64, because Seal encrypts only text. */
async function compress(body: string): Promise<string> {
  return COMPRESSED + (await promisify(gzip)(body, {})).toString('base64');
}

function withFirstDetails(body: string): string {
  const refusal = JSON.parse(body) as { details: unknown[] };
  return JSON.stringify({ ...refusal, details: refusal.details.slice(0, KEPT_DETAILS) });
}
