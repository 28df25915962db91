import type { Clock } from './clock.js';
import type { Budget } from './pacing/budget.js';

export type Priority = 'high' | 'normal' | 'low';

/** Options of a single call. */
export interface CallOptions {
  /** Aborts the call, which then throws a FeiraError with the code `aborted`. */
  signal?: AbortSignal | undefined;
  /** The timeout of one attempt. Default: the client's `timeoutMs`. */
  timeoutMs?: number | undefined;
  /** The time limit for the whole call, including all attempts and waits. Default: the client's `deadlineMs`. */
  deadlineMs?: number | undefined;
  /**
   * The maximum number of attempts. If a token is renewed after a 401, there can be one more. Default: the client's
   * `maxAttempts`.
   */
  maxAttempts?: number | undefined;
  /** Calls that wait because of the rate limit or `concurrency` are sent by priority. Default normal. */
  priority?: Priority | undefined;
}

/** Options of a single write. */
export interface WriteOptions extends CallOptions {
  /**
   * Identifies the write, so that it is applied only once even if it is retried. Default: a random key per call. Pass
   * your own key to repeat a write safely after a crash.
   */
  idempotencyKey?: string | undefined;
}

export interface DryRunOptions extends WriteOptions {
  /** If true, the API validates the call and returns the response that a real call would get, but changes nothing. */
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
  /** The timeout of one attempt, for calls that do not set it. Default 30 seconds. */
  timeoutMs?: number;
  /** The time limit for a whole call, for calls that do not set it. Default: none. */
  deadlineMs?: number;
  /** The maximum number of attempts, for calls that do not set it. Default 5. */
  maxAttempts?: number;
  /** The maximum number of calls in flight. Default 8. */
  concurrency?: number;
  /**
   * Counts the calls for the rate limit. Pass a shared budget if other processes act for the same store and app.
   * Default: a budget in memory that only this client uses.
   */
  budget?: Budget;
  /** The implementation of fetch to use. Default: the global fetch. */
  fetch?: typeof fetch;
  clock?: Clock;
}
