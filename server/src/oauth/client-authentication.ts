import type { Queryable } from '../platform/db/share.js';
import type { Fields } from '../platform/http/forms.js';
import { isAppSecret } from './apps.js';
import { invalidRequest, type TokenError } from './token-errors.js';

/** Authenticates the app with its secret, from the body or from HTTP Basic. */
export async function authenticateClient(
  db: Queryable,
  fields: Fields,
  authorization: string | undefined,
): Promise<{ clientId: string } | TokenError> {
  const given = credentialsOf(fields, authorization);
  if ('error' in given) return given;
  if (await isAppSecret(db, given.clientId, given.secret)) return { clientId: given.clientId };
  return { error: 'invalid_client', error_description: 'client_id or client_secret is incorrect' };
}

function credentialsOf(
  fields: Fields,
  authorization: string | undefined,
): { clientId: string; secret: string } | TokenError {
  const bodyId = fields.get('client_id');
  const bodySecret = fields.get('client_secret');
  if (authorization === undefined) {
    if (bodyId === undefined) return invalidRequest('client_id is missing');
    if (bodySecret === undefined) return invalidRequest('client_secret is missing');
    return { clientId: bodyId, secret: bodySecret };
  }
  const basic = basicOf(authorization);
  if (!basic)
    return invalidRequest('the Authorization header must be HTTP Basic with client_id and client_secret');
  if (bodySecret !== undefined)
    return invalidRequest('send the secret in the body or in the Authorization header, not in both');
  if (bodyId !== undefined && bodyId !== basic.clientId)
    return invalidRequest('client_id differs between body and Authorization header');
  return basic;
}

/** RFC 6749, 2.3.1: client_id and client_secret are form-encoded before they are joined with a colon. */
function basicOf(authorization: string): { clientId: string; secret: string } | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  const decode = (part: string) => new URLSearchParams(`v=${part}`).get('v') ?? '';
  return { clientId: decode(text.slice(0, colon)), secret: decode(text.slice(colon + 1)) };
}
