const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
/** If Retry-After is longer than this (as with the daily limit of uploads), the call fails instead of waiting. */
export const LONGEST_WAIT_MS = 300_000;
/** The backoff is extended at random by up to this fraction, so that clients do not all retry at the same time. */
const JITTER = 0.25;

/** Returns the wait: 1, 2, 4, 8 … seconds after attempt 1, 2, 3, 4 …, plus up to a quarter, but at most 30 s. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1) * (1 + JITTER * random()));
}

/** Uses the X-Should-Retry header of the server. If it is missing because a proxy answered, the status decides. */
export function shouldRetry(response: Response): boolean {
  const told = response.headers.get('x-should-retry');
  if (told !== null) return told === 'true';
  return response.status === 408 || response.status === 429 || response.status >= 500;
}

/** Returns the wait from Retry-After (seconds or a date), or undefined if it is absent or unreadable. */
export function retryAfterMs(response: Response, now: number): number | undefined {
  const header = response.headers.get('retry-after');
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
