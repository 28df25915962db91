import { scryptSync } from 'node:crypto';
import { sql } from '../../src/platform/db/sql.js';
import { newId } from '../../src/platform/schema/ids.js';
import type { Feira } from './feira.js';

// Each password hash contains its scrypt cost, so the hashes of test accounts can have a low one. With the production
// cost, creating an account and signing in would each take 60 ms of CPU time.
const COST = { N: 16, r: 1, p: 1 };

/** Creates an account that can sign in with this password, unless the e-mail already has an account. */
export async function addOwner(
  { context }: Pick<Feira, 'context'>,
  email: string,
  password: string,
): Promise<void> {
  const salt = Buffer.alloc(16);
  const key = scryptSync(password.normalize('NFKC'), salt, 32, COST);
  const hash = ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')];
  await context.db.store('test').autocommit.query(sql`
    insert into users (id, email, password_hash, created_by)
    values (${newId()}, ${email}, ${hash.join('$')}, 'command-line') on conflict do nothing`);
}
