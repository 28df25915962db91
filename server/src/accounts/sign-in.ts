import { hash } from 'node:crypto';
import type { Clock } from '../platform/clock.js';
import { NotAdmitted } from '../platform/concurrency/admission.js';
import { deleteInBatches } from '../platform/db/delete-in-batches.js';
import type { Share } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { networkOf } from '../platform/http/network.js';
import { newId } from '../platform/schema/ids.js';
import { isPossiblePassword } from './password-rules.js';
import { isPassword, NO_PASSWORD } from './passwords.js';
import { isEmail } from './users.js';

const WINDOW_MS = 15 * 60 * 1000;

/**
 * The number of failures in fifteen minutes after which passwords are no longer checked. A pair is one account and one
 * network.
 */
const LIMITS = { pair: 5, account: 20, address: 50, device: 5 };

type Kind = keyof typeof LIMITS;
type Subjects = Partial<Record<Kind, string>>;

export type SignIn = { userId: string } | 'wrong' | 'throttled' | 'busy';

export interface Attempt {
  email: string;
  password: string;
  address: string;
  /** Set for a browser in which this account was signed in before. */
  deviceId: string | undefined;
}

/**
 * Failures are counted in the database, so that all processes share the counts. A browser known to the account has only
 * its own count, so guesses in other browsers, even on the same network, do not lock out the owner. Attempts from other
 * browsers count against the account, the network, and the combination of both. An attempt is recorded as failed before
 * the password is checked, and removed if the password was correct or not checked. If failures were recorded only
 * after the check, all concurrent guesses would be checked before any of them was counted.
 */
export async function signIn(db: Share, clock: Clock, attempt: Attempt): Promise<SignIn> {
  const email = attempt.email.trim().toLowerCase();
  if (!isEmail(email) || !isPossiblePassword(attempt.password)) return 'wrong';
  const subjects = subjectsOf(email, attempt);
  const attemptId = newId();
  await recordFailure(db, clock, attemptId, subjects);
  if (await isThrottled(db, clock, subjects)) {
    await takeBack(db, attemptId, subjects);
    return 'throttled';
  }
  const [user] = await db.query<{ id: string; password_hash: string }>(
    sql`select id, password_hash from users where lower(email) = ${email}`,
  );
  const isKnownBrowser = attempt.deviceId !== undefined;
  try {
    const passwordHash = user?.password_hash ?? NO_PASSWORD;
    if (!(await isPassword(attempt.password, passwordHash, { isKnownBrowser })) || !user) return 'wrong';
  } catch (error) {
    if (!(error instanceof NotAdmitted)) throw error;
    await takeBack(db, attemptId, subjects);
    return 'busy';
  }
  await takeBack(db, attemptId, subjects);
  const own = subjects.device ?? subjects.pair;
  await db.autocommit.query(sql`delete from sign_in_failures where subject = ${own}`);
  return { userId: user.id };
}

export async function purgeSignInFailures(db: Share, clock: Clock): Promise<void> {
  await deleteInBatches(db, 'sign_in_failures', sql`failed_at <= ${since(clock)}`);
}

function subjectsOf(email: string, { address, deviceId }: Attempt): Subjects {
  if (deviceId !== undefined) return { device: subjectOf('device', email, deviceId) };
  const network = networkOf(address);
  return {
    pair: subjectOf('pair', email, network),
    account: subjectOf('account', email),
    address: subjectOf('address', network),
  };
}

async function isThrottled(db: Share, clock: Clock, subjects: Subjects): Promise<boolean> {
  const rows = await db.query<{ subject: string; failures: number }>(sql`
    select subject, count(*) as failures from sign_in_failures
    where subject = any(${Object.values(subjects)}::text[]) and failed_at > ${since(clock)} group by subject`);
  const failures = new Map(rows.map((row) => [row.subject, row.failures]));
  return Object.entries(subjects).some(
    ([kind, subject]) => (failures.get(subject) ?? 0) > LIMITS[kind as Kind],
  );
}

async function recordFailure(db: Share, clock: Clock, id: string, subjects: Subjects): Promise<void> {
  await db.autocommit.query(sql`
    insert into sign_in_failures (subject, failed_at, id)
    select subject, ${new Date(clock.now()).toISOString()}::timestamptz, ${id}::uuid
    from unnest(${Object.values(subjects)}::text[]) subject`);
}

async function takeBack(db: Share, id: string, subjects: Subjects): Promise<void> {
  await db.autocommit.query(sql`
    delete from sign_in_failures where subject = any(${Object.values(subjects)}::text[]) and id = ${id}`);
}

/** The e-mail of an attempt is stored only as a hash: people sometimes type their password into the e-mail field. */
function subjectOf(...parts: string[]): string {
  return hash('sha256', parts.join(' '), 'base64url');
}

function since(clock: Clock): string {
  return new Date(clock.now() - WINDOW_MS).toISOString();
}
