import type { Clock } from './clock.js';
import { raw, type Statement, sql } from './db/sql.js';

/**
 * The assignments of an UPDATE that postpones a row whose work failed. Its table has the columns `attempts` and
 * `next_attempt_at`. The delay doubles each time (10 s, 20 s, 40 s …), up to one hour. Without a delay, a job that
 * processes the oldest rows first would always select the same rows, and if these always failed, no other row would
 * ever be processed.
 */
export function postpone(clock: Clock): Statement {
  return sql`attempts = attempts + 1, next_attempt_at = ${nowOf(clock)}::timestamptz
    + ${raw("least(10 * power(2, least(attempts, 10)), 3600) * interval '1 second'")}`;
}

export function isDue(clock: Clock): Statement {
  return sql`(next_attempt_at is null or next_attempt_at <= ${nowOf(clock)}::timestamptz)`;
}

function nowOf(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}
