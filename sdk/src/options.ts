import type { Clock } from './clock.js';
import type { Budget } from './pacing/budget.js';

export type Priority = 'high' | 'normal' | 'low';

/** What a single call can be given. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** For one attempt. Default 30 seconds. */
  timeoutMs?: number | undefined;
  /** For the whole call with its attempts and waits. No default: the attempts are limited already. */
  deadlineMs?: number | undefined;
  /** Default 5. */
  maxAttempts?: number | undefined;
  /** Which waiting calls go first when the budget is short. Default normal. */
  priority?: Priority | undefined;
}

/** What a single write can be given. */
export interface WriteOptions extends CallOptions {
  /** Default: a random one per call. Give one of your own to repeat a write safely after a crash. */
  idempotencyKey?: string | undefined;
}

export interface DryRunOptions extends WriteOptions {
  /** Validates and answers as the real call would, and changes nothing. */
  dryRun?: boolean | undefined;
}

export interface ConditionalOptions extends DryRunOptions {
  /** The ETag of the product that was read: 412 if it has changed since. */
  ifMatch?: string | undefined;
}

/** Where access tokens come from. */
export interface TokenSource {
  /** A token to send. `refused` is one that the API has just answered with 401. */
  accessToken(refused?: string): Promise<string>;
}

export interface FeiraOptions {
  /** The base address, such as https://api.feira.example. */
  baseUrl: string;
  /** A fixed access token, or the source of renewed ones (see FeiraApp in @feira/sdk/oauth). */
  token: string | TokenSource;
  /** Your system and its version, such as MyERP/2.1. */
  userAgent?: string;
  timeoutMs?: number;
  deadlineMs?: number;
  maxAttempts?: number;
  /** Calls in flight at the same time. Default 8. */
  concurrency?: number;
  /** Shared with other processes that act for the same store and app. Default: counted in this client. */
  budget?: Budget;
  /** Default: the global fetch. */
  fetch?: typeof fetch;
  clock?: Clock;
}
