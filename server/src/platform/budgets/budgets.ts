import type { Registry } from 'prom-client';

/** A store and the app that acts for it: what budgets are counted for. */
export interface Spender {
  workspaceId: string;
  clientId: string;
  /** Both in one string, put together once. */
  name: string;
  /** Calls a minute; 120 unless the operator arranged more. */
  perMinute: number;
}

export type CallKind = 'call' | 'upload';

/** How the tightest of the limits that apply to a call stands after it. */
export interface Verdict {
  accepted: boolean;
  limit: number;
  remaining: number;
  /** Until a slot frees; when the call was refused, until one more is accepted. */
  resetMs: number;
}

/**
 * Counts a call against all limits that apply to it, or against none of them. One process counts in memory; several
 * share a count through an implementation that asks Redis.
 */
export interface Budgets {
  spend(spender: Spender, kind: CallKind): Verdict | Promise<Verdict>;
  /** `degraded` while calls are counted less exactly than usual. */
  check(): Promise<'ok' | 'degraded'>;
  measure?(registry: Registry): void;
  close(): void;
}

export const DEFAULT_PER_MINUTE = 120;
export const UPLOADS_PER_MINUTE = 60;
export const UPLOADS_PER_DAY = 5_000;
export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;
