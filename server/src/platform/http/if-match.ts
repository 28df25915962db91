import type { FastifyRequest } from 'fastify';
import { ApiError, badRequest } from './errors.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The call accepts If-Match with an ETag of the resource. */
    ifMatch?: boolean;
  }
}

/**
 * Matches one element of the list in an If-Match header: an entity tag or nothing, up to a comma or the end (RFC 9110,
 * 5.6.1 and 8.8.3).
 */
const ELEMENT = /[\t ]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[\t ]*)?(?:,|$)/y;

/**
 * Returns the tags of an If-Match header, '*' for any tag, or undefined if there is no such header. Throws if the
 * header is malformed.
 */
export function readIfMatch({ headers }: FastifyRequest): '*' | string[] | undefined {
  const header = headers['if-match'];
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  const tags: string[] = [];
  ELEMENT.lastIndex = 0;
  for (let place = 0; place < header.length; place = ELEMENT.lastIndex) {
    const element = ELEMENT.exec(header);
    if (!element) throw malformed();
    if (element[1] !== undefined) tags.push(element[1]);
  }
  if (tags.length === 0) throw malformed();
  return tags;
}

/** A hook that rejects a malformed If-Match header before the body is parsed, as is done for a malformed query. */
export function refuseMalformedIfMatch(
  request: FastifyRequest,
  _reply: unknown,
  done: (error?: Error) => void,
): void {
  try {
    readIfMatch(request);
  } catch (error) {
    done(error as Error);
    return;
  }
  done();
}

/**
 * Throws unless If-Match allows the current tag of the resource. The resource must be locked. All tags that we issue
 * are strong, and If-Match compares strongly: a tag that a proxy has weakened (W/"…") matches nothing.
 */
export function requireMatch(ifMatch: '*' | string[], tag: string): void {
  if (ifMatch === '*' || ifMatch.includes(tag)) return;
  throw new ApiError(
    412,
    'precondition_failed',
    'The resource has changed since the ETag in If-Match was read. Read it again and decide whether your change still applies.',
  );
}

function malformed(): ApiError {
  return badRequest('If-Match must be * or a list of ETags such as "1a2b3c"', 'invalid_parameter');
}
