import type { DatabaseError } from 'pg';

export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const { code, constraint: violated } = error as DatabaseError;
  return code === '23505' && violated === constraint;
}

/**
 * Returns whether no partition of the table accepts the row. A violated check constraint has the same code, but that
 * error names the constraint.
 */
export function isMissingPartition(error: unknown): boolean {
  const { code, constraint } = error as DatabaseError;
  return code === '23514' && constraint === undefined;
}
