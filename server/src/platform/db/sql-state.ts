import type { DatabaseError } from 'pg';

/** Returns whether a write violated this unique index because a concurrent transaction wrote the same value first. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const { code, constraint: violated } = error as DatabaseError;
  return code === '23505' && violated === constraint;
}

/**
 * Returns whether no partition of the table accepts the row. Unlike a violated check constraint, this error names no
 * constraint.
 */
export function isMissingPartition(error: unknown): boolean {
  const { code, constraint } = error as DatabaseError;
  return code === '23514' && constraint === undefined;
}
