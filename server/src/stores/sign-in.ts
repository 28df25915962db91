import { hash } from 'node:crypto';
import type { Clock } from '../platform/clock.js';
import type { Database } from '../platform/db.js';
import { newId } from '../platform/ids.js';
import { sql } from '../platform/sql.js';
import { isPossiblePassword } from './password-rules.js';
import { hashPassword, isPassword } from './passwords.js';
import { isEmail } from './users.js';

const WINDOW_MS = 15 * 60 * 1000;

/** Failures in fifteen minutes after which no further guess is looked at. */
const LIMITS = { pair: 5, account: 20, address: 50 };

type Subjects = Record<keyof typeof LIMITS, string>;

export type SignIn = { userId: string } | 'wrong' | 'throttled';

/**
 * Throttled per account and address, in the database, so that guesses spread over processes count together. The limit
 * of the account alone is higher: otherwise anybody could lock a merchant out by guessing wrong on purpose. An attempt is
 * written down as failed before the password is looked at, and taken back if it was right or not looked at: when it was
 * written down afterwards, forty guesses sent at once were all looked at.
 */
export async function signIn(
  db: Database,
  clock: Clock,
  attempt: { email: string; password: string; address: string },
): Promise<SignIn> {
  const email = attempt.email.trim().toLowerCase();
  if (!isEmail(email) || !isPossiblePassword(attempt.password)) return 'wrong';
  const subjects = {
    pair: subjectOf('pair', email, attempt.address),
    account: subjectOf('account', email),
    address: subjectOf('address', attempt.address),
  };
  const attemptId = newId();
  await recordFailure(db, clock, attemptId, subjects);
  if (await isThrottled(db, clock, subjects)) {
    await takeBack(db, attemptId, subjects);
    return 'throttled';
  }
  const [user] = await db.query<{ id: string; password_hash: string }>(
    sql`select id, password_hash from users where lower(email) = ${email}`,
  );
  // An unknown account takes as long as a wrong password.
  const right = await isPassword(attempt.password, user?.password_hash ?? (await nobody));
  if (!user || !right) return 'wrong';
  await takeBack(db, attemptId, subjects);
  await db.autocommit.query(sql`delete from sign_in_failures where subject = ${subjects.pair}`);
  return { userId: user.id };
}

export async function purgeSignInFailures(db: Database, clock: Clock): Promise<void> {
  await db.autocommit.query(sql`delete from sign_in_failures where failed_at <= ${since(clock)}`);
}

async function isThrottled(db: Database, clock: Clock, subjects: Subjects): Promise<boolean> {
  const rows = await db.query<{ subject: string; failures: number }>(sql`
    select subject, count(*) as failures from sign_in_failures
    where subject = any(${Object.values(subjects)}::text[]) and failed_at > ${since(clock)} group by subject`);
  const failures = new Map(rows.map((row) => [row.subject, row.failures]));
  return (Object.keys(LIMITS) as (keyof typeof LIMITS)[]).some(
    (kind) => (failures.get(subjects[kind]) ?? 0) > LIMITS[kind],
  );
}

async function recordFailure(db: Database, clock: Clock, id: string, subjects: Subjects): Promise<void> {
  await db.autocommit.query(sql`
    insert into sign_in_failures (subject, failed_at, id)
    select subject, ${new Date(clock.now()).toISOString()}::timestamptz, ${id}::uuid
    from unnest(${Object.values(subjects)}::text[]) subject`);
}

async function takeBack(db: Database, id: string, subjects: Subjects): Promise<void> {
  await db.autocommit.query(sql`
    delete from sign_in_failures where subject = any(${Object.values(subjects)}::text[]) and id = ${id}`);
}

/** A hash, because people type their password where the e-mail goes. */
function subjectOf(...parts: string[]): string {
  return hash('sha256', parts.join(' '), 'base64url');
}

function since(clock: Clock): string {
  return new Date(clock.now() - WINDOW_MS).toISOString();
}

const nobody = hashPassword('nobody has this password');
