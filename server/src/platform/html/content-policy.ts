/**
 * The Content-Security-Policy of a page. Browsers apply form-action to the redirect behind a form as well, so every origin
 * that a form may lead to is named: our own public one (a shop may be looked at under another name of this server), and on
 * the consent page that of the app.
 */
export function contentPolicy(options: { images?: string; formsLeadTo: string[] }): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    `img-src ${options.images ?? "'self'"}`,
    `form-action ${["'self'", ...options.formsLeadTo.map(sourceOf)].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** A source has no way to write an IPv6 address; its scheme must do. */
function sourceOf(address: string): string {
  const { origin, hostname, protocol } = new URL(address);
  return hostname.startsWith('[') ? protocol : origin;
}
