import type {} from '@fastify/swagger';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Session, Sessions } from '../accounts/sessions.js';
import { signedInUserOf, signInAddress } from '../accounts/sign-in-routes.js';
import { storesOwnedBy } from '../accounts/users.js';
import type { Clock } from '../platform/clock.js';
import type { Database } from '../platform/db/database.js';
import { contentPolicy } from '../platform/html/content-policy.js';
import { languageOf } from '../platform/html/language.js';
import { sendPage } from '../platform/html/page.js';
import { ApiError } from '../platform/http/errors.js';
import { type Fields, postedForm, queryFields } from '../platform/http/forms.js';
import {
  type AuthorizationFault,
  type AuthorizationRequest,
  readAuthorizationRequest,
} from './authorization-request.js';
import { ConsentPage } from './pages/consent.js';
import { FaultPage } from './pages/fault.js';
import { createGrant, issueCode } from './tokens.js';

export interface AuthorizeOptions {
  db: Database;
  clock: Clock;
  sessions: Sessions;
  publicUrl: string;
}

const PARAMETERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
];

/** The consent screen on which a merchant approves an app. */
export const authorizeRoutes: FastifyPluginAsync<AuthorizeOptions> = async (
  app,
  { db, clock, sessions, publicUrl },
) => {
  app.get('/oauth/authorize', { schema: { hide: true } }, async (request, reply) => {
    const fields = queryFields(request);
    const asked = await readAuthorizationRequest(db.system('apps'), fields);
    if ('error' in asked) return refuse(request, reply, asked);
    const session = await sessions.find(request);
    if (!session) return reply.redirect(signInAddress(request.url), 303);
    return askMerchant(request, reply, session, asked, fields);
  });

  app.post('/oauth/authorize', { schema: { hide: true } }, async (request, reply) => {
    const fields = postedForm(request);
    const asked = await readAuthorizationRequest(db.system('apps'), fields);
    if ('error' in asked) return refuse(request, reply, asked);
    const session = await sessions.find(request);
    if (!session)
      return reply.redirect(
        signInAddress(`/oauth/authorize?${new URLSearchParams(parametersOf(fields))}`),
        303,
      );
    sessions.checkCsrf(request, fields.get('csrf'), purposeOf(session, fields));
    if (fields.get('decision') !== 'approve') {
      return sendBack(reply, asked.redirectUri, {
        error: 'access_denied',
        error_description: 'the merchant denied the request',
        state: asked.state,
      });
    }
    const store = (await storesOwnedBy(db.system('accounts'), session.userId)).find(
      ({ workspaceId }) => workspaceId === fields.get('store'),
    );
    if (!store)
      throw new ApiError(
        403,
        'not_your_store',
        'This store does not belong to your account. Go back, reload the page and choose another.',
      );
    const { workspaceId } = store;
    const code = await db.store(workspaceId).transaction(async (tx) => {
      const grant = {
        workspaceId,
        clientId: asked.app.clientId,
        userId: session.userId,
        scopes: asked.scopes,
      };
      return issueCode(tx, clock, { workspaceId, grantId: await createGrant(tx, grant) }, asked);
    });
    return sendBack(reply, asked.redirectUri, { code, state: asked.state });
  });

  async function askMerchant(
    request: FastifyRequest,
    reply: FastifyReply,
    session: Session,
    asked: AuthorizationRequest,
    fields: Fields,
  ) {
    const csrf = sessions.csrfToken(request, reply, purposeOf(session, fields));
    reply.header('Content-Security-Policy', contentPolicy({ formsLeadTo: [publicUrl, asked.redirectUri] }));
    return sendPage(
      reply,
      <ConsentPage
        language={languageOf(request.headers['accept-language'])}
        who={signedInUserOf(sessions, request, reply, session)}
        request={asked}
        stores={await storesOwnedBy(db.system('accounts'), session.userId)}
        hidden={{ ...parametersOf(fields), csrf }}
      />,
    );
  }

  function refuse(request: FastifyRequest, reply: FastifyReply, fault: AuthorizationFault): FastifyReply {
    if (!fault.redirect)
      return sendPage(
        reply,
        <FaultPage language={languageOf(request.headers['accept-language'])} fault={fault} />,
        400,
      );
    return sendBack(reply, fault.redirect.uri, {
      error: fault.error,
      error_description: fault.description,
      state: fault.redirect.state,
    });
  }

  /**
   * `iss` (RFC 9207) identifies this server to clients that use several authorization servers. The parameters are
   * appended to the redirect URI as text, because adding them with the URL class would rewrite the registered query
   * (%20 to +, flag to flag=).
   */
  function sendBack(
    reply: FastifyReply,
    redirectUri: string,
    answer: Record<string, string | undefined>,
  ): FastifyReply {
    const added = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...answer, iss: publicUrl }))
      if (value !== undefined) added.append(name, value);
    const joint = redirectUri.includes('?') ? (/[?&]$/.test(redirectUri) ? '' : '&') : '?';
    return reply.redirect(`${redirectUri}${joint}${added}`, 303);
  }
};

/**
 * Identifies what a consent form is valid for: this merchant and exactly this request. Other scopes or another redirect
 * URI require a new form.
 */
function purposeOf(session: Session, fields: Fields): string {
  return `consent\n${session.userId}\n${JSON.stringify(parametersOf(fields))}`;
}

function parametersOf(fields: Fields): Record<string, string> {
  return Object.fromEntries(
    PARAMETERS.flatMap((name) =>
      fields.get(name) === undefined ? [] : [[name, fields.get(name) as string]],
    ),
  );
}
