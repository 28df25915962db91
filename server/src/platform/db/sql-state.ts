import type { DatabaseError } from 'pg';

export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const { code, constraint: violated } = error as DatabaseError;
  return code === '23505' && violated === constraint;
}

/**
 * Returns whether a row could not be inserted because the table has no partition for it. A violated check constraint
 * has the same code, but that error names the constraint.
 */
export function isMissingPartition(error: unknown): boolean {
  const { code, constraint } = error as DatabaseError;
  return code === '23514' && constraint === undefined;
}
