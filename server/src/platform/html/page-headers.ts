import { contentPolicy } from './content-policy.js';

/** The default headers of HTML pages. Some pages override Cache-Control, the content policy or Referrer-Policy. */
export function pageHeaders(publicUrl: string): Record<string, string> {
  return {
    'Content-Security-Policy': contentPolicy({ formsLeadTo: [publicUrl] }),
    'Cache-Control': 'no-store',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
  };
}
