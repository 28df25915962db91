import type { DatabaseError } from 'pg';

/** Whether a write violated this unique index: the database has decided a race, and this is the side that lost. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const { code, constraint: violated } = error as DatabaseError;
  return code === '23505' && violated === constraint;
}

/** A row belongs to no partition of its table; a violated check constraint has a name, this has none. */
export function isMissingPartition(error: unknown): boolean {
  const { code, constraint } = error as DatabaseError;
  return code === '23514' && constraint === undefined;
}
