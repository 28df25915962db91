import type { FastifyRequest } from 'fastify';
import { ApiError } from './errors.js';

/**
 * Whether a form may have been sent by a page of this server. It protects forms on pages that are the same for all
 * visitors and therefore contain no token. Every current browser names the sender of a form: in Sec-Fetch-Site over
 * https and on localhost, in Origin everywhere. A request without either header is not from a browser, so it cannot
 * misuse the cookies of a visitor.
 */
export function isSameOrigin(request: FastifyRequest, publicUrl: string): boolean {
  const { origin, host, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const { host: sender } = new URL(origin);
  return sender === host || sender === new URL(publicUrl).host;
}

/** For a form without a valid token, or of another site. */
export function formRefused(): ApiError {
  return new ApiError(
    403,
    'form_refused',
    'This form has expired or came from another site. Go back, reload the page and try again.',
  );
}
