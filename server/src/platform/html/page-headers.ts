import { contentPolicy } from './content-policy.js';

/** The headers of every HTML page. Pages that are the same for all visitors override Cache-Control. */
export function pageHeaders(publicUrl: string): Record<string, string> {
  return {
    'Content-Security-Policy': contentPolicy({ formsLeadTo: [publicUrl] }),
    'Cache-Control': 'no-store',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
  };
}
