const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Why an address cannot be registered to send merchants back to; undefined when it can. */
export function redirectUriFault(uri: string): string | undefined {
  if (!URL.canParse(uri)) return 'is not an absolute address';
  const url = new URL(uri);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be https';
  if (url.protocol === 'http:' && !LOOPBACK.has(url.hostname))
    return 'must be https (http is for localhost only)';
  if (uri.includes('#')) return 'must not have a fragment';
  if (url.username !== '' || url.password !== '') return 'must not carry a user name';
  return undefined;
}
