import type { FastifyRequest } from 'fastify';
import { badRequest } from '../platform/http/errors.js';
import { type Fields, postedForm } from '../platform/http/forms.js';
import type { Session, Sessions } from './sessions.js';

/**
 * What a form may be used for. If that depends on the form, for example on the record it changes, it is computed from
 * its fields.
 */
type Purpose = string | ((fields: Fields) => string);

/** Returns the fields of a form. Throws unless this browser got the form from one of our pages for this purpose. */
export function checkedForm(sessions: Sessions, request: FastifyRequest, purpose: Purpose): Fields {
  const fields = postedForm(request);
  sessions.checkCsrf(request, fields.get('csrf'), typeof purpose === 'string' ? purpose : purpose(fields));
  return fields;
}

/** Like `checkedForm`, for a page that requires a signed-in account. */
export async function signedInForm(
  sessions: Sessions,
  request: FastifyRequest,
  purpose: Purpose,
): Promise<{ session: Session; fields: Fields }> {
  const session = await sessions.find(request);
  if (!session) throw badRequest('Your session has expired. Sign in and try again.');
  return { session, fields: checkedForm(sessions, request, purpose) };
}
