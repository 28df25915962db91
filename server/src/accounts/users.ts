import type { Queryable, Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { newId } from '../platform/schema/ids.js';
import { hashPassword } from './passwords.js';

/** An account. `createdBy` is null for accounts that were created before it was recorded. */
export interface Account {
  userId: string;
  email: string;
  passwordHash: string;
  createdAt: string;
  createdBy: AccountOrigin | null;
}

/**
 * How an account was created. A sign-up does not prove that the e-mail belongs to the person; on the command line the
 * operator vouches for it.
 */
export type AccountOrigin = 'command-line' | 'sign-up';

export function isEmail(text: string): boolean {
  return /^[^\s@\0]+@[^\s@\0]+$/.test(text) && text.length <= 254 && text.isWellFormed();
}

export async function findAccount(db: Queryable, email: string): Promise<Account | undefined> {
  const [account] = await db.query<Account>(sql`
    select id as "userId", email, password_hash as "passwordHash", created_at as "createdAt", created_by as "createdBy"
    from users where lower(email) = lower(${email})`);
  return account;
}

/** Creates an account and returns its id, or undefined if the e-mail already has an account. */
export async function createUser(
  tx: Tx,
  account: { email: string; password: string; createdBy: AccountOrigin },
): Promise<string | undefined> {
  const [made] = await tx.query<{ id: string }>(sql`
    insert into users (id, email, password_hash, created_by)
    values (${newId()}, ${account.email}, ${await hashPassword(account.password)}, ${account.createdBy})
    on conflict do nothing returning id`);
  return made?.id;
}

export async function setPassword(tx: Tx, userId: string, password: string): Promise<void> {
  await tx.query(sql`update users set password_hash = ${await hashPassword(password)} where id = ${userId}`);
}

export interface OwnedStore {
  workspaceId: string;
  name: string;
}

export async function storesOwnedBy(db: Queryable, userId: string): Promise<OwnedStore[]> {
  return db.query<OwnedStore>(sql`
    select id as "workspaceId", name from workspaces where owner_id = ${userId} order by name, id`);
}
