const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Why an address cannot be registered to send merchants back to; undefined when it can. */
export function redirectUriFault(uri: string): string | undefined {
  // URL forgives what browsers forgive (https:host, backslashes, raw letters, NUL); what is sent in a header and compared
  // character by character must be a URI as written.
  if (!/^[a-z][a-z\d+.-]*:\/\/[\x21-\x7e]+$/i.test(uri) || /[\\"<>^`{|}]/.test(uri) || !URL.canParse(uri))
    return 'is not an absolute address in plain characters';
  const url = new URL(uri);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be https';
  if (url.protocol === 'http:' && !LOOPBACK.has(url.hostname))
    return 'must be https (http is for localhost only)';
  if (uri.includes('#')) return 'must not have a fragment';
  if (url.username !== '' || url.password !== '') return 'must not carry a user name';
  return undefined;
}
