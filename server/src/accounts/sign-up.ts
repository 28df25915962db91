import type { Clock } from '../platform/clock.js';
import { NotAdmitted } from '../platform/concurrency/admission.js';
import { deleteInBatches } from '../platform/db/delete-in-batches.js';
import type { Share } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { networkOf } from '../platform/http/network.js';
import { createUser } from './users.js';

const WINDOW_MS = 60 * 60 * 1000;

/**
 * The maximum number of attempts per hour and network. It is high enough for a class of students on one network, and
 * too low to fill the users table.
 */
const MAX_SIGN_UPS = 50;

export type SignUp = { userId: string } | 'taken' | 'throttled' | 'busy';

/**
 * An attempt is counted before its password is hashed, because hashing is expensive. It is counted even if the e-mail
 * is taken, so that the limit also applies to callers who try out which e-mails have an account.
 */
export async function signUp(
  db: Share,
  clock: Clock,
  asked: { email: string; password: string; address: string },
): Promise<SignUp> {
  if (!(await count(db, clock, networkOf(asked.address)))) return 'throttled';
  try {
    const userId = await createUser(db.autocommit, { ...asked, createdBy: 'sign-up' });
    return userId ? { userId } : 'taken';
  } catch (error) {
    if (error instanceof NotAdmitted) return 'busy';
    throw error;
  }
}

export async function purgeSignUps(db: Share, clock: Clock): Promise<void> {
  await deleteInBatches(db, 'sign_ups', sql`asked_at <= ${since(clock)}`);
}

/** Attempts from one network are serialized. Otherwise concurrent ones could exceed the limit. */
function count(db: Share, clock: Clock, address: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`sign-up ${address}`}, 0))`);
    const counted = await tx.query(sql`
      insert into sign_ups (address, asked_at) select ${address}, ${new Date(clock.now()).toISOString()}::timestamptz
      where (select count(*) from sign_ups where address = ${address} and asked_at > ${since(clock)}) < ${MAX_SIGN_UPS}
      returning 1`);
    return counted.length > 0;
  });
}

function since(clock: Clock): string {
  return new Date(clock.now() - WINDOW_MS).toISOString();
}
