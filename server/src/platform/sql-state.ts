import type { DatabaseError } from 'pg';

/** Did a write run into this unique index? Then the database has decided a race, and the caller is told who lost. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const { code, constraint: violated } = error as DatabaseError;
  return code === '23505' && violated === constraint;
}

/** Somebody's patience with the database ran out: a lock or an answer did not come in time. */
export function hasHung(error: unknown): boolean {
  const { code } = error as DatabaseError;
  return code === '55P03' || code === '57014';
}

/** A row belongs to no partition of its table; a violated check constraint has a name, this has none. */
export function isMissingPartition(error: unknown): boolean {
  const { code, constraint } = error as DatabaseError;
  return code === '23514' && constraint === undefined;
}
