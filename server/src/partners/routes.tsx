import type {} from '@fastify/swagger';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { checkedForm, signedInForm } from '../accounts/forms.js';
import { passwordFault } from '../accounts/password-rules.js';
import type { Session, Sessions } from '../accounts/sessions.js';
import { BUSY_SECONDS, signedInUserOf, signInAddress } from '../accounts/sign-in-routes.js';
import { signUp } from '../accounts/sign-up.js';
import { isEmail } from '../accounts/users.js';
import { revokeOldSecrets, rotateSecret, updateApp } from '../oauth/apps.js';
import { appsOwnedBy, findOwnedApp, type OwnedApp, registerApp } from '../oauth/owned-apps.js';
import type { Clock } from '../platform/clock.js';
import type { Share } from '../platform/db/share.js';
import type { Flash } from '../platform/html/flash.js';
import { type Language, languageOf } from '../platform/html/language.js';
import { sendPage } from '../platform/html/page.js';
import { ApiError } from '../platform/http/errors.js';
import type { Fields } from '../platform/http/forms.js';
import { failingUrlsOf } from '../webhooks/health.js';
import { type AppForm, EMPTY_FORM, readAppForm, TOO_MANY_APPS, validateAppForm } from './app-form.js';
import { type AppNews, AppPage } from './pages/app.js';
import { AppsPage } from './pages/apps.js';
import { NewAppPage } from './pages/new-app.js';
import { type SignUpFault, SignUpPage } from './pages/sign-up.js';

export interface PartnerOptions {
  db: Share;
  clock: Clock;
  sessions: Sessions;
  flash: Flash;
}

type WithClientId = { Params: { clientId: string } };

/** The pages for integrators: accounts, apps and their credentials. */
export const partnerRoutes: FastifyPluginAsync<PartnerOptions> = async (
  app,
  { db, clock, sessions, flash },
) => {
  app.get('/partners', { schema: { hide: true } }, async (request, reply) => {
    const session = await sessions.find(request);
    if (!session) return showSignUp(request, reply, {});
    const page = (
      <AppsPage {...common(request, reply, session)} apps={await appsOwnedBy(db, session.userId)} />
    );
    return sendPage(reply, page);
  });

  app.post('/partners/sign-up', { schema: { hide: true } }, async (request, reply) => {
    const fields = checkedForm(sessions, request, 'sign-up');
    const email = fields.text('email').trim();
    const password = fields.text('password');
    if (!isEmail(email)) return showSignUp(request, reply, { email, fault: 'email' });
    const fault = passwordFault(password, email);
    if (fault) return showSignUp(request, reply, { email, fault });
    const outcome = await signUp(db, clock, { email, password, address: request.ip });
    if (typeof outcome === 'string') return showSignUp(request, reply, { email, fault: outcome });
    await sessions.begin(request, reply, { userId: outcome.userId, email });
    return reply.redirect('/partners', 303);
  });

  app.get('/partners/apps/new', { schema: { hide: true } }, async (request, reply) => {
    const session = await sessions.find(request);
    if (!session) return reply.redirect(signInAddress(request.url), 303);
    return showNewApp(request, reply, session, { ...EMPTY_FORM, contact: session.email }, []);
  });

  app.post('/partners/apps', { schema: { hide: true } }, async (request, reply) => {
    const { session, fields } = await signedInForm(sessions, request, 'app new');
    const form = readAppForm(fields);
    const { app: described, faults } = validateAppForm(form, languageFor(request));
    if (faults.length > 0) return showNewApp(request, reply, session, form, faults);
    const made = await db.transaction((tx) => registerApp(tx, session.userId, described));
    if (!made) return showNewApp(request, reply, session, form, [TOO_MANY_APPS[languageFor(request)]]);
    return done(reply, session, made.clientId, { notice: 'registered', secret: made.clientSecret });
  });

  app.get<WithClientId>('/partners/apps/:clientId', { schema: { hide: true } }, async (request, reply) => {
    const session = await sessions.find(request);
    if (!session) return reply.redirect(signInAddress(request.url), 303);
    const found = await owned(session, request.params.clientId);
    const news = flash.take<AppNews>(request, reply, pageOf(session, found.clientId));
    return showApp(request, reply, session, found, { ...news });
  });

  app.post<WithClientId>('/partners/apps/:clientId', { schema: { hide: true } }, async (request, reply) => {
    const { session, fields, app: found } = await ownedAppForm(request);
    const form = readAppForm(fields);
    const { app: described, faults } = validateAppForm(form, languageFor(request));
    if (faults.length > 0) return showApp(request, reply, session, found, { form, faults });
    await updateApp(db.autocommit, found.clientId, described);
    return done(reply, session, found.clientId, { notice: 'saved' });
  });

  app.post<WithClientId>(
    '/partners/apps/:clientId/rotate',
    { schema: { hide: true } },
    async (request, reply) => {
      const { session, app: found } = await ownedAppForm(request);
      const secret = await db.transaction((tx) => rotateSecret(tx, found.clientId));
      return done(reply, session, found.clientId, { notice: 'rotated', secret });
    },
  );

  app.post<WithClientId>(
    '/partners/apps/:clientId/end-old-secret',
    { schema: { hide: true } },
    async (request, reply) => {
      const { session, app: found } = await ownedAppForm(request);
      await revokeOldSecrets(db.autocommit, found.clientId);
      return done(reply, session, found.clientId, { notice: 'ended' });
    },
  );

  /** Redirects to the app's page after a form was submitted, so that reloading does not submit the form again. */
  function done(reply: FastifyReply, session: Session, clientId: string, news: AppNews): FastifyReply {
    const page = pageOf(session, clientId);
    flash.leave(reply, page, news);
    return reply.redirect(page.path, 303);
  }

  const common = (request: FastifyRequest, reply: FastifyReply, session: Session) => ({
    language: languageFor(request),
    who: signedInUserOf(sessions, request, reply, session),
  });

  function showSignUp(
    request: FastifyRequest,
    reply: FastifyReply,
    state: { email?: string; fault?: SignUpFault },
  ): FastifyReply {
    const page = (
      <SignUpPage
        language={languageFor(request)}
        csrf={sessions.csrfToken(request, reply, 'sign-up')}
        {...state}
      />
    );
    if (state.fault === 'busy') reply.header('Retry-After', BUSY_SECONDS);
    return sendPage(reply, page, signUpStatus(state.fault));
  }

  function showNewApp(
    request: FastifyRequest,
    reply: FastifyReply,
    session: Session,
    form: AppForm,
    faults: string[],
  ): FastifyReply {
    const csrf = sessions.csrfToken(request, reply, 'app new');
    const page = <NewAppPage {...common(request, reply, session)} csrf={csrf} form={form} faults={faults} />;
    return sendPage(reply, page, faults.length > 0 ? 422 : 200);
  }

  async function showApp(
    request: FastifyRequest,
    reply: FastifyReply,
    session: Session,
    found: OwnedApp,
    state: Partial<AppNews> & { form?: AppForm; faults?: string[] },
  ): Promise<FastifyReply> {
    const csrf = sessions.csrfToken(request, reply, `app ${found.clientId}`);
    const page = (
      <AppPage
        {...common(request, reply, session)}
        csrf={csrf}
        app={found}
        failing={await failingUrlsOf(db, found.clientId)}
        {...state}
      />
    );
    return sendPage(reply, page, state.faults ? 422 : 200);
  }

  async function owned(session: Session, clientId: string): Promise<OwnedApp> {
    const found = await findOwnedApp(db, session.userId, clientId);
    if (!found) throw new ApiError(404, 'not_found', 'App not found.');
    return found;
  }

  async function ownedAppForm(
    request: FastifyRequest<WithClientId>,
  ): Promise<{ session: Session; fields: Fields; app: OwnedApp }> {
    const { clientId } = request.params;
    const { session, fields } = await signedInForm(sessions, request, `app ${clientId}`);
    return { session, fields, app: await owned(session, clientId) };
  }
};

function signUpStatus(fault: SignUpFault | undefined): number {
  if (fault === undefined) return 200;
  return fault === 'busy' ? 503 : fault === 'throttled' ? 429 : 422;
}

function pageOf({ userId }: Session, clientId: string): { path: string; userId: string } {
  return { path: `/partners/apps/${clientId}`, userId };
}

function languageFor(request: FastifyRequest): Language {
  return languageOf(request.headers['accept-language']);
}
