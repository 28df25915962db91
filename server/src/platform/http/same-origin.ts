import type { FastifyRequest } from 'fastify';
import { ApiError } from './errors.js';

/**
 * Returns whether a form may have been sent by a page of this server. This check protects forms on pages that are the
 * same for all visitors and therefore contain no token. Every current browser identifies the sender of a form: with
 * Sec-Fetch-Site over https and on localhost, and with Origin everywhere. A request without either header does not come
 * from a browser, so it cannot misuse a visitor's cookies.
 */
export function isSameOrigin(request: FastifyRequest, publicUrl: string): boolean {
  const { origin, host, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const { host: sender } = new URL(origin);
  return sender === host || sender === new URL(publicUrl).host;
}

/** The error for a form that has no valid token or was sent from another site. */
export function formRefused(): ApiError {
  return new ApiError(
    403,
    'form_refused',
    'This form has expired or came from another site. Go back, reload the page and try again.',
  );
}
