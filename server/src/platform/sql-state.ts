import type { DatabaseError } from 'pg';

/** Did a write run into this unique index? Then the database has decided a race, and the caller is told who lost. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const { code, constraint: violated } = error as DatabaseError;
  return code === '23505' && violated === constraint;
}
