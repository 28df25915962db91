import type { DatabaseError } from 'pg';
import { NotAdmitted } from '../concurrency/admission.js';

/**
 * The database was unreachable or did not respond in time, so a statement may or may not have been executed. This error
 * is also thrown if the caller disconnected before a statement was sent.
 */
export class DatabaseUnavailable extends Error {}

const LOCK_NOT_AVAILABLE = '55P03';
const QUERY_CANCELED = '57014';
const DEADLOCK = '40P01';
const READ_ONLY = '25006';
/** A code of PostgreSQL. Unlike EPIPE, a code of the operating system, it contains at least one digit. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/** Returns whether a statement was not given a connection, or was canceled because it ran too long. */
export function isOverload(error: unknown): boolean {
  return error instanceof NotAdmitted || ((error ?? {}) as Partial<DatabaseError>).code === QUERY_CANCELED;
}

/** Returns whether the error was reported by PostgreSQL or by a connection to it. */
export function isFromDatabase(error: unknown): boolean {
  const { code } = (error ?? {}) as Partial<DatabaseError>;
  return error instanceof DatabaseUnavailable || SQLSTATE.test(String(code));
}

/** Returns whether a statement failed because it waited too long for a lock, or because of a deadlock. */
export function isLockConflict(error: unknown): boolean {
  const { code } = (error ?? {}) as Partial<DatabaseError>;
  return code === LOCK_NOT_AVAILABLE || code === DEADLOCK;
}

/**
 * Returns whether the same request may succeed later. This is the case after a lock or statement timeout, a deadlock,
 * or a full or slow queue. It is also the case if the database was unreachable, starting, stopping (57P…), failing over
 * (a former primary is read-only) or out of connections, memory or disk space (53…).
 */
export function isTemporary(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable || error instanceof NotAdmitted) return true;
  const { code } = (error ?? {}) as Partial<DatabaseError>;
  if (typeof code !== 'string') return false;
  if ([LOCK_NOT_AVAILABLE, QUERY_CANCELED, DEADLOCK, READ_ONLY].includes(code)) return true;
  return code.startsWith('57P') || (/^(08|53)/.test(code) && code.length === 5);
}
