import type {} from '@fastify/swagger';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../platform/clock.js';
import type { Share } from '../platform/db/share.js';
import { languageOf } from '../platform/html/language.js';
import { type SignedInUser, sendPage } from '../platform/html/page.js';
import { queryFields } from '../platform/http/forms.js';
import { checkedForm } from './forms.js';
import { type SignInFault, SignInPage } from './pages/sign-in.js';
import type { Session, Sessions } from './sessions.js';
import { signIn } from './sign-in.js';

export interface SignInOptions {
  db: Share;
  clock: Clock;
  sessions: Sessions;
}

const HOME = '/console/apps';

/**
 * The retry delay when the hashing queue is full. The queue empties within a second, or within a few seconds on a busy
 * machine.
 */
export const BUSY_SECONDS = 5;

export const signInRoutes: FastifyPluginAsync<SignInOptions> = async (app, { db, clock, sessions }) => {
  const show = (
    request: FastifyRequest,
    reply: FastifyReply,
    props: { next: string; email?: string; fault?: SignInFault },
    status = 200,
  ) =>
    sendPage(
      reply,
      <SignInPage
        language={languageOf(request.headers['accept-language'])}
        csrf={sessions.csrfToken(request, reply, 'sign-in')}
        {...props}
      />,
      status,
    );

  app.get('/sign-in', { schema: { hide: true } }, async (request, reply) => {
    const next = localPath(queryFields(request).get('next'));
    if (await sessions.find(request)) return reply.redirect(next, 303);
    return show(request, reply, { next });
  });

  app.post('/sign-in', { schema: { hide: true } }, async (request, reply) => {
    const fields = checkedForm(sessions, request, 'sign-in');
    const next = localPath(fields.get('next'));
    const email = fields.text('email');
    const outcome = await signIn(db, clock, {
      email,
      password: fields.text('password'),
      address: request.ip,
      deviceId: sessions.devices.idFor(request, email),
    });
    if (outcome === 'wrong') return show(request, reply, { next, email, fault: 'wrong' }, 401);
    if (outcome === 'throttled') return show(request, reply, { next, email, fault: 'throttled' }, 429);
    if (outcome === 'busy') {
      reply.header('Retry-After', BUSY_SECONDS);
      return show(request, reply, { next, email, fault: 'busy' }, 503);
    }
    await sessions.begin(request, reply, { userId: outcome.userId, email });
    return reply.redirect(next, 303);
  });

  app.post('/sign-out', { schema: { hide: true } }, async (request, reply) => {
    checkedForm(sessions, request, 'sign-out');
    await sessions.end(request, reply);
    return reply.redirect('/sign-in', 303);
  });
};

/** Returns the address of the sign-in page, which leads back to `next`. */
export function signInAddress(next: string): string {
  return `/sign-in?${new URLSearchParams({ next })}`;
}

/** Returns the signed-in user for the header of a page, with the token of the sign-out form. */
export function signedInUserOf(
  sessions: Sessions,
  request: FastifyRequest,
  reply: FastifyReply,
  { email }: Session,
): SignedInUser {
  return { email, csrf: sessions.csrfToken(request, reply, 'sign-out') };
}

/**
 * Returns `next` if it is a path on this server, otherwise HOME. The check uses the parsed path, because parsing
 * removes dot segments: /.//evil.example becomes //evil.example, which a browser reads as another host.
 */
function localPath(next: string | undefined): string {
  const base = 'http://here.invalid';
  if (next === undefined || !next.startsWith('/') || !URL.canParse(next, base)) return HOME;
  const url = new URL(next, base);
  return url.origin === base && !url.pathname.startsWith('//') ? url.pathname + url.search : HOME;
}
