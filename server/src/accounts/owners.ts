import type { Tx } from '../platform/db/share.js';
import { isPossiblePassword } from './password-rules.js';
import { isPassword } from './passwords.js';
import { type Account, createUser, findAccount } from './users.js';

/**
 * Who a new store is for: a new account, or one that exists and whose password is given, or one that exists and that the
 * operator names on purpose.
 */
export type NewOwner =
  | { ownerEmail: string; ownerPassword: string }
  | { ownerEmail: string; existingOwner: true };

/** The store cannot be given to this owner. Nothing has been created. */
export class OwnerRefused extends Error {
  constructor(
    readonly reason: 'wrong password' | 'no account' | 'password length',
    /** Of the account that exists. */
    readonly account?: Account,
  ) {
    super(`The owner is refused: ${reason}`);
  }
}

/**
 * Anybody can sign up at /partners with the e-mail of a future owner. A store must therefore never go to an account just
 * because the e-mail is the same: it takes the password, or the operator's word.
 */
export async function ownerOf(tx: Tx, owner: NewOwner): Promise<string> {
  const account = await findAccount(tx, owner.ownerEmail);
  if ('existingOwner' in owner) {
    if (!account) throw new OwnerRefused('no account');
    return account.userId;
  }
  if (account) return withPassword(account, owner.ownerPassword);
  // Only the length is judged: the operator chose it, often for a test, and the owner can change it in the console.
  if (!isPossiblePassword(owner.ownerPassword)) throw new OwnerRefused('password length');
  const made = await createUser(tx, {
    email: owner.ownerEmail,
    password: owner.ownerPassword,
    createdBy: 'command-line',
  });
  // A concurrent call created the account meanwhile; it is judged like any that existed before.
  return made ?? withPassword((await findAccount(tx, owner.ownerEmail)) as Account, owner.ownerPassword);
}

async function withPassword(account: Account, password: string): Promise<string> {
  if (!isPossiblePassword(password) || !(await isPassword(password, account.passwordHash)))
    throw new OwnerRefused('wrong password', account);
  return account.userId;
}
