/**
 * Returns the Content-Security-Policy of a page. Browsers also apply form-action to a redirect after a form is
 * submitted. formsLeadTo therefore lists every origin that a form may lead to: our public origin (because a shop may be
 * opened under another host name of this server) and, on the consent page, the origin of the app.
 */
export function contentPolicy(options: {
  images?: string;
  formsLeadTo: string[];
  /** Whether the page may run our own scripts and send requests to this server. Default: no. */
  scripts?: boolean;
}): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    ...(options.scripts ? ["script-src 'self'", "connect-src 'self'"] : []),
    `img-src ${options.images ?? "'self'"}`,
    `form-action ${["'self'", ...options.formsLeadTo.map(sourceOf)].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The policy of a file that can be opened in a browser, such as an image. It forbids all scripts and requests. */
export const FILE_POLICY = "default-src 'none'; sandbox";

/** Returns the origin of an address, or only the scheme if the host is an IPv6 address, which CSP does not support. */
function sourceOf(address: string): string {
  const { origin, hostname, protocol } = new URL(address);
  return hostname.startsWith('[') ? protocol : origin;
}
