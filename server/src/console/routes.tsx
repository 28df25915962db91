import type {} from '@fastify/swagger';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { signedInForm } from '../accounts/forms.js';
import { passwordFault } from '../accounts/password-rules.js';
import type { Session, Sessions } from '../accounts/sessions.js';
import { signIn } from '../accounts/sign-in.js';
import { BUSY_SECONDS, signedInUserOf, signInAddress } from '../accounts/sign-in-routes.js';
import { setPassword, storesOwnedBy } from '../accounts/users.js';
import { listConnectedApps } from '../oauth/connections.js';
import type { Credentials } from '../oauth/credentials.js';
import { disconnectApp } from '../oauth/revocation.js';
import { listPaymentsToCheck } from '../payments/to-check.js';
import type { Clock } from '../platform/clock.js';
import { NotAdmitted } from '../platform/concurrency/admission.js';
import type { Database } from '../platform/db/database.js';
import { languageOf } from '../platform/html/language.js';
import { sendPage } from '../platform/html/page.js';
import { failingAppsOf } from '../webhooks/health.js';
import { requireOwnedStore } from './owned-store.js';
import { ConnectedAppsPage } from './pages/connected-apps.js';
import { PasswordPage, type PasswordState } from './pages/password.js';
import { paymentsToCheckRoutes } from './payment-routes.js';

export interface ConsoleOptions {
  db: Database;
  clock: Clock;
  sessions: Sessions;
  credentials: Credentials;
}

/** The pages for merchants. */
export const consoleRoutes: FastifyPluginAsync<ConsoleOptions> = async (
  app,
  { db, clock, sessions, credentials },
) => {
  await app.register(paymentsToCheckRoutes, { db, sessions });

  app.get('/console', { schema: { hide: true } }, async (_request, reply) =>
    reply.redirect('/console/apps', 303),
  );

  app.get('/console/apps', { schema: { hide: true } }, async (request, reply) => {
    const session = await sessions.find(request);
    if (!session) return reply.redirect(signInAddress(request.url), 303);
    const stores = await storesOwnedBy(db.system('accounts'), session.userId);
    const connected = await Promise.all(
      stores.map(async (store) => ({
        ...store,
        connections: await listConnectedApps(db.store(store.workspaceId), store.workspaceId),
        failing: await failingAppsOf(db.store(store.workspaceId), store.workspaceId),
        paymentsToCheck: (await listPaymentsToCheck(db.store(store.workspaceId), store.workspaceId)).length,
      })),
    );
    return sendPage(
      reply,
      <ConnectedAppsPage
        language={languageOf(request.headers['accept-language'])}
        who={signedInUserOf(sessions, request, reply, session)}
        stores={connected}
        csrf={(workspaceId, clientId) =>
          sessions.csrfToken(request, reply, disconnection(workspaceId, clientId))
        }
      />,
    );
  });

  app.post('/console/apps/disconnect', { schema: { hide: true } }, async (request, reply) => {
    const { session, fields } = await signedInForm(sessions, request, (form) =>
      disconnection(form.text('store'), form.text('client_id')),
    );
    const workspaceId = fields.text('store');
    const clientId = fields.text('client_id');
    await requireOwnedStore(db, session, workspaceId);
    await disconnectApp(db.store(workspaceId).autocommit, workspaceId, clientId);
    credentials.forget(workspaceId, clientId);
    return reply.redirect('/console/apps', 303);
  });

  app.get('/console/password', { schema: { hide: true } }, async (request, reply) => {
    const session = await sessions.find(request);
    if (!session) return reply.redirect(signInAddress(request.url), 303);
    return showPassword(request, reply, session, 'asked');
  });

  app.post('/console/password', { schema: { hide: true } }, async (request, reply) => {
    const { session, fields } = await signedInForm(sessions, request, 'password');
    const next = fields.text('new-password');
    const fault = passwordFault(next, session.email);
    if (fault) return showPassword(request, reply, session, fault);
    // Attempts are limited as at sign-in, because a stolen session must not allow guessing the password.
    const outcome = await signIn(db.system('accounts'), clock, {
      email: session.email,
      password: fields.text('password'),
      address: request.ip,
      deviceId: sessions.devices.idFor(request, session.email),
    });
    if (typeof outcome === 'string') return showPassword(request, reply, session, outcome);
    try {
      await setPassword(db.system('accounts').autocommit, session.userId, next);
    } catch (error) {
      if (error instanceof NotAdmitted) return showPassword(request, reply, session, 'busy');
      throw error;
    }
    await sessions.endOthers(request, session.userId);
    return showPassword(request, reply, session, 'changed');
  });

  function showPassword(
    request: FastifyRequest,
    reply: FastifyReply,
    session: Session,
    state: PasswordState,
  ): FastifyReply {
    const page = (
      <PasswordPage
        language={languageOf(request.headers['accept-language'])}
        who={signedInUserOf(sessions, request, reply, session)}
        csrf={sessions.csrfToken(request, reply, 'password')}
        state={state}
      />
    );
    if (state === 'busy') reply.header('Retry-After', BUSY_SECONDS);
    return sendPage(reply, page, PASSWORD_STATUS[state]);
  }
};

const PASSWORD_STATUS: Record<PasswordState, number> = {
  asked: 200,
  changed: 200,
  length: 422,
  guessable: 422,
  wrong: 422,
  throttled: 429,
  busy: 503,
};

function disconnection(workspaceId: string, clientId: string): string {
  return `disconnect\n${workspaceId}\n${clientId}`;
}
