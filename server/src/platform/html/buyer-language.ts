import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Language, languageOf } from './language.js';

const COOKIE = 'feira_language';
const LIFETIME_SECONDS = 365 * 24 * 60 * 60;
const CHOICE = /^(en|pt)$/;

/**
 * The language of shops and payment pages: the buyer's choice, else the preference of the browser, else Portuguese,
 * because shops sell in reais.
 */
export function buyerLanguageOf(request: FastifyRequest): Language {
  const chosen = request.cookies[COOKIE];
  if (chosen !== undefined && CHOICE.test(chosen)) return chosen as Language;
  return languageOf(request.headers['accept-language'], 'pt');
}

/**
 * If the address contains a valid `lang` parameter, stores it in a cookie, redirects to the same address without `lang`
 * and returns true. Otherwise does nothing and returns false.
 */
export function storeLanguage(request: FastifyRequest, reply: FastifyReply, secure: boolean): boolean {
  const [, query] = request.url.split('?', 2) as [string, string?];
  const chosen = query === undefined ? null : new URLSearchParams(query).get('lang');
  if (chosen === null || !CHOICE.test(chosen)) return false;
  reply.setCookie(COOKIE, chosen, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure,
    maxAge: LIFETIME_SECONDS,
  });
  // The redirect cannot lead to another host, because the paths of shops and payments begin with /s/ and /sandbox/ and
  // never with //.
  void reply.redirect(withoutLanguage(request.url), 303);
  return true;
}

/** Returns the address without `lang`. The language links of a page add it again and keep the other parameters. */
export function withoutLanguage(url: string): string {
  const [path = '', query] = url.split('?', 2) as [string, string?];
  if (query === undefined) return path;
  const fields = new URLSearchParams(query);
  fields.delete('lang');
  return `${path}${fields.size > 0 ? `?${fields}` : ''}`;
}
