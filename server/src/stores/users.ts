import type { Queryable, Tx } from '../platform/db.js';
import { newId } from '../platform/ids.js';
import { sql } from '../platform/sql.js';
import { hashPassword } from './passwords.js';

export const MIN_PASSWORD = 8;
const MAX_PASSWORD = 200;

export function isEmail(text: string): boolean {
  return /^[^\s@\0]+@[^\s@\0]+$/.test(text) && text.length <= 254 && text.isWellFormed();
}

/** Length alone; rules about characters make passwords worse. The upper bound keeps hashing cheap. */
export function isAcceptablePassword(text: string): boolean {
  return text.length >= MIN_PASSWORD && text.length <= MAX_PASSWORD;
}

export async function findUser(db: Queryable, email: string): Promise<string | undefined> {
  const [user] = await db.query<{ id: string }>(
    sql`select id from users where lower(email) = lower(${email})`,
  );
  return user?.id;
}

/** undefined when an account with this e-mail exists. */
export async function createUser(tx: Tx, email: string, password: string): Promise<string | undefined> {
  const [made] = await tx.query<{ id: string }>(sql`
    insert into users (id, email, password_hash) values (${newId()}, ${email}, ${await hashPassword(password)})
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
