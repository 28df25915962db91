import type { Registry } from 'prom-client';

/** A store and an app that acts for it. Each such pair has its own rate limits. */
export interface Spender {
  workspaceId: string;
  clientId: string;
  /** Both ids in one string, built once. */
  name: string;
  /** The maximum number of calls per minute: 120, unless the operator has set another value. */
  perMinute: number;
}

export type CallKind = 'call' | 'upload';

/**
 * Whether a call was accepted, and the state of the limit that restricts the caller most: the one with the fewest calls
 * left or, after a rejection, the one with the longest wait.
 */
export interface Verdict {
  accepted: boolean;
  limit: number;
  remaining: number;
  /**
   * Milliseconds until the oldest counted call leaves the window or, if the call was rejected, until a call is accepted
   * again.
   */
  resetMs: number;
}

/**
 * Counts a call against every limit that applies to it. A rejected call counts against none of them. With REDIS_URL,
 * all processes share their counts per minute in Redis; without it, each process counts in memory. The uploads per day
 * are always counted in the database.
 */
export interface Budgets {
  spend(spender: Spender, kind: CallKind): Verdict | Promise<Verdict>;
  /** Returns `degraded` while REDIS_URL is set but this process cannot share its counts with the others. */
  check(): Promise<'ok' | 'degraded'>;
  measure?(registry: Registry): void;
  close(): void;
}

export const DEFAULT_PER_MINUTE = 120;
export const UPLOADS_PER_MINUTE = 60;
export const UPLOADS_PER_DAY = 5_000;
export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;
