import type { Queryable } from '../platform/db/share.js';
import { type Fields, repetitionIn } from '../platform/http/forms.js';
import { type AppRecord, findApp } from './apps.js';
import { isScope, type Scope } from './scopes.js';

/** A request that has passed every check and can be shown to the merchant. */
export interface AuthorizationRequest {
  app: AppRecord;
  redirectUri: string;
  scopes: Scope[];
  state: string | undefined;
  codeChallenge: string;
}

/** Why a request cannot be shown to the merchant. Without `redirect`, the error appears on our own page. */
export interface AuthorizationFault {
  error:
    | 'unknown_client'
    | 'wrong_redirect_uri'
    | 'invalid_request'
    | 'unsupported_response_type'
    | 'invalid_scope';
  description: string;
  redirect?: { uri: string; state: string | undefined };
}

interface CheckedRequest {
  fields: Fields;
  app?: AppRecord;
  redirectUri?: string;
  scopes?: Scope[];
}

type Fault = Omit<AuthorizationFault, 'redirect'> | undefined;
type Check = (request: CheckedRequest, db: Queryable) => Fault | Promise<Fault>;

// These two checks decide whether errors may be sent to the redirect URI. Nothing is ever sent to an unregistered URI.
const BEFORE_REDIRECT: Check[] = [knownClient, registeredRedirectUri];
const AFTER_REDIRECT: Check[] = [
  noRepeatedParameter,
  printableState,
  codeResponse,
  answerInQuery,
  pkceWithS256,
  knownScopes,
];

/** Runs the checks of both lists in order, up to the first fault. They run again when the consent form is submitted. */
export async function readAuthorizationRequest(
  db: Queryable,
  fields: Fields,
): Promise<AuthorizationRequest | AuthorizationFault> {
  const request: CheckedRequest = { fields };
  for (const check of BEFORE_REDIRECT) {
    const fault = await check(request, db);
    if (fault) return fault;
  }
  const redirectUri = request.redirectUri as string;
  const state = fields.repeated.includes('state') ? undefined : fields.get('state');
  for (const check of AFTER_REDIRECT) {
    const fault = await check(request, db);
    if (fault) return { ...fault, redirect: { uri: redirectUri, state } };
  }
  return {
    app: request.app as AppRecord,
    redirectUri,
    scopes: request.scopes as Scope[],
    state,
    codeChallenge: fields.get('code_challenge') as string,
  };
}

async function knownClient(request: CheckedRequest, db: Queryable): Promise<Fault> {
  const clientId = request.fields.get('client_id');
  const repeated = request.fields.repeated.includes('client_id');
  const app = clientId === undefined || repeated ? undefined : await findApp(db, clientId);
  if (!app)
    return {
      error: 'unknown_client',
      description: 'client_id is missing, repeated, or unknown',
    };
  request.app = app;
}

/** Compares character by character, as RFC 9700 requires, without prefix matching or normalization. */
function registeredRedirectUri(request: CheckedRequest): Fault {
  const uri = request.fields.get('redirect_uri');
  const repeated = request.fields.repeated.includes('redirect_uri');
  if (uri === undefined || repeated || !request.app?.redirectUris.includes(uri)) {
    return {
      error: 'wrong_redirect_uri',
      description: 'redirect_uri is missing, repeated, or not registered for this app',
    };
  }
  request.redirectUri = uri;
}

function noRepeatedParameter({ fields }: CheckedRequest): Fault {
  const description = repetitionIn(fields);
  if (description !== undefined) return { error: 'invalid_request', description };
}

/**
 * RFC 6749, A.5 forbids control characters in the state. Browsers rewrite line breaks in submitted forms, so a state
 * with line breaks could not be returned unchanged.
 */
function printableState({ fields }: CheckedRequest): Fault {
  if (/[\x00-\x1f\x7f]/.test(fields.text('state')))
    return { error: 'invalid_request', description: 'state must not contain control characters' };
}

function codeResponse({ fields }: CheckedRequest): Fault {
  const type = fields.get('response_type');
  if (type === undefined) return { error: 'invalid_request', description: 'response_type is missing' };
  if (type !== 'code')
    return { error: 'unsupported_response_type', description: 'response_type must be code' };
}

function answerInQuery({ fields }: CheckedRequest): Fault {
  const mode = fields.get('response_mode');
  if (mode !== undefined && mode !== 'query')
    return { error: 'invalid_request', description: 'response_mode must be query' };
}

function pkceWithS256({ fields }: CheckedRequest): Fault {
  const challenge = fields.get('code_challenge');
  if (challenge === undefined)
    return { error: 'invalid_request', description: 'code_challenge is missing: PKCE is required' };
  if (fields.get('code_challenge_method') !== 'S256')
    return { error: 'invalid_request', description: 'code_challenge_method must be S256' };
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    return {
      error: 'invalid_request',
      description: 'code_challenge must be the base64url of a SHA-256 hash: 43 characters, no padding',
    };
  }
}

function knownScopes(request: CheckedRequest): Fault {
  const names = [...new Set((request.fields.get('scope') ?? '').split(' ').filter(Boolean))];
  const unknown = names.filter((name) => !isScope(name));
  if (names.length === 0)
    return { error: 'invalid_scope', description: 'scope must contain at least one scope' };
  if (unknown.length > 0) return { error: 'invalid_scope', description: 'scope contains an unknown scope' };
  request.scopes = names as Scope[];
}
