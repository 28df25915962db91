export const MAX_REDIRECT_URIS = 20;
export const MAX_REDIRECT_URI = 2_000;

export type RedirectUriFault = 'long' | 'form' | 'https' | 'loopback' | 'fragment' | 'userinfo';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Returns why an address cannot be registered as a redirect URI, or undefined if it can. */
export function redirectUriFault(uri: string): RedirectUriFault | undefined {
  if (uri.length > MAX_REDIRECT_URI) return 'long';
  // The URL class accepts what browsers accept (https:host, https:///host, backslashes, non-ASCII letters, NUL). A
  // redirect URI is sent in a header and compared character by character, so it must be valid as written, with its host
  // after two slashes.
  if (!/^[a-z][a-z\d+.-]*:\/\/[^/?#][\x21-\x7e]*$/i.test(uri) || /[^\x21-\x7e]|[\\"<>^`{|}]/.test(uri))
    return 'form';
  if (!URL.canParse(uri)) return 'form';
  const url = new URL(uri);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'https';
  if (url.protocol === 'http:' && !LOOPBACK.has(url.hostname)) return 'loopback';
  if (uri.includes('#')) return 'fragment';
  if (url.username !== '' || url.password !== '') return 'userinfo';
  return undefined;
}
