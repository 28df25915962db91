import type { FastifyRequest } from 'fastify';
import { badRequest } from '../platform/http/errors.js';
import { type Fields, postedForm } from '../platform/http/forms.js';
import type { Session, Sessions } from './sessions.js';

/**
 * What a form may be used for, such as 'sign-in'. If this is a function, it computes the purpose from the fields of the
 * form, for example from the id of the record that the form changes.
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
