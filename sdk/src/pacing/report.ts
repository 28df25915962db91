import { LONGEST_WAIT_MS, retryAfterMs } from '../retry.js';
import type { BudgetReport } from './budget.js';

export const UPLOADS_PER_MINUTE = 60;

/** Reads the rate-limit headers of a response. */
export function reportOf(response: Response, now: number): BudgetReport | undefined {
  const [limit, remaining] = ['limit', 'remaining'].map((name) =>
    Number.parseInt(response.headers.get(`x-ratelimit-${name}`) ?? '', 10),
  ) as [number, number];
  if (Number.isNaN(limit) || Number.isNaN(remaining)) return undefined;
  const wait = response.status === 429 && remaining === 0 ? retryAfterMs(response, now) : undefined;
  return { limit, remaining, ...(wait !== undefined && wait <= LONGEST_WAIT_MS && { refusedForMs: wait }) };
}

/**
 * Returns the report for the budget of uploads per minute. The headers of POST /uploads describe the limit with the
 * fewest calls left, which may instead be calls per minute or uploads per day. So only the wait after a rejection is
 * used. reportOf() has left out waits of more than five minutes, which only the daily limit causes.
 */
export function uploadReport(report: BudgetReport | undefined): BudgetReport | undefined {
  return report?.refusedForMs === undefined ? undefined : { ...report, limit: UPLOADS_PER_MINUTE };
}
