export interface Backoff {
  firstMs: number;
  factor: number;
}

export const ATTEMPTS = 5;
const JITTER = 0.2;

/**
 * Returns the milliseconds to wait before attempt 2, 3, 4 or 5: by default 5 s, 75 s, 18 min 45 s and 4 h 41 min. Each
 * wait varies at random by up to 20% in either direction, which spreads deliveries that failed together.
 */
export function waitBefore(attempt: number, { firstMs, factor }: Backoff, random = Math.random()): number {
  const wait = firstMs * factor ** (attempt - 2);
  return Math.round(wait * (1 - JITTER + 2 * JITTER * random));
}
