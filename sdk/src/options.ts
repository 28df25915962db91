import type { Clock } from './clock.js';
import type { Budget } from './pacing/budget.js';

export type Priority = 'high' | 'normal' | 'low';

/** Options of a single call. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** The timeout of one attempt. Default 30 seconds. */
  timeoutMs?: number | undefined;
  /**
   * The time limit for the whole call, including all attempts and waits. There is no default, because the number of
   * attempts and their timeouts are already limited.
   */
  deadlineMs?: number | undefined;
  /** The maximum number of attempts. Default 5. */
  maxAttempts?: number | undefined;
  /** The order in which waiting calls are sent when few calls are left in the rate limit. Default normal. */
  priority?: Priority | undefined;
}

/** Options of a single write. */
export interface WriteOptions extends CallOptions {
  /** Default: a random key per call. Pass your own to repeat a write safely after a crash. */
  idempotencyKey?: string | undefined;
}

export interface DryRunOptions extends WriteOptions {
  /** Validates the call and returns the same response, but changes nothing. */
  dryRun?: boolean | undefined;
}

export interface ConditionalOptions extends DryRunOptions {
  /** The ETag of the product when it was read. The call fails with 412 if the product has changed since. */
  ifMatch?: string | undefined;
}

/** The source of access tokens. */
export interface TokenSource {
  /** Returns a token to send. `refused` is a token that the API has just rejected with 401. */
  accessToken(refused?: string): Promise<string>;
}

export interface FeiraOptions {
  /** The base URL, such as https://api.feira.example. */
  baseUrl: string;
  /** A fixed access token, or a source that renews tokens (see FeiraApp in @feira/sdk/oauth). */
  token: string | TokenSource;
  /** The name and version of your system, such as MyERP/2.1. */
  userAgent?: string;
  timeoutMs?: number;
  deadlineMs?: number;
  maxAttempts?: number;
  /** The maximum number of calls in flight. Default 8. */
  concurrency?: number;
  /**
   * The rate limit shared with other processes that act for the same store and app. Default: this client counts only
   * its own calls.
   */
  budget?: Budget;
  /** The implementation of fetch to use. Default: the global fetch. */
  fetch?: typeof fetch;
  clock?: Clock;
}
