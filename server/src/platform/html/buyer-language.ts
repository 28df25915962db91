import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Language, languageOf } from './language.js';

const COOKIE = 'feira_language';
const LIFETIME_SECONDS = 365 * 24 * 60 * 60;
const CHOICE = /^(en|pt)$/;

/** The language of shops and payment pages: the one that the buyer chose, or the browser prefers. Shops sell in reais, so Portuguese is the fallback. */
export function buyerLanguageOf(request: FastifyRequest): Language {
  const chosen = request.cookies[COOKIE];
  if (chosen !== undefined && CHOICE.test(chosen)) return chosen as Language;
  return languageOf(request.headers['accept-language'], 'pt');
}

/** Keeps the language of `?lang=` and redirects to the same address without it. Returns whether it did. */
export function keepLanguage(request: FastifyRequest, reply: FastifyReply, secure: boolean): boolean {
  const [, query = ''] = request.url.split('?', 2) as [string, string?];
  const chosen = new URLSearchParams(query).get('lang');
  if (chosen === null || !CHOICE.test(chosen)) return false;
  reply.setCookie(COOKIE, chosen, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure,
    maxAge: LIFETIME_SECONDS,
  });
  // A path cannot begin with two slashes here: the routes of shops and payments begin with /s/ and /sandbox/.
  void reply.redirect(withoutLanguage(request.url), 303);
  return true;
}

/** The address without `lang`. The language links of a page add it again, and keep everything else. */
export function withoutLanguage(url: string): string {
  const [path = '', query = ''] = url.split('?', 2) as [string, string?];
  const fields = new URLSearchParams(query);
  fields.delete('lang');
  return `${path}${fields.size > 0 ? `?${fields}` : ''}`;
}
