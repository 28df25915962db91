import type { Tx } from '../platform/db/share.js';
import { isPossiblePassword } from './password-rules.js';
import { isPassword } from './passwords.js';
import { type Account, createUser, findAccount } from './users.js';

/**
 * The owner of a new store: a new account, an existing account with its password, or, with `existingOwner`, an existing
 * account without its password.
 */
export type NewOwner =
  | { ownerEmail: string; ownerPassword: string }
  | { ownerEmail: string; existingOwner: true };

/** Thrown if the store cannot be assigned to this owner. Nothing has been created. */
export class OwnerRefused extends Error {
  constructor(
    readonly reason: 'wrong password' | 'no account' | 'password length',
    /** The account with this e-mail, if the given password is not its password. */
    readonly account?: Account,
  ) {
    super(`The store cannot be assigned to this owner: ${reason}`);
  }
}

/**
 * Returns the user id of the owner. Creates the account if there is none and a password is given. An account does not
 * get a store merely because its e-mail matches: anyone can sign up at /partners with the e-mail of a future store
 * owner. The operator must give the password of the account, or set `existingOwner`.
 */
export async function ownerOf(tx: Tx, owner: NewOwner): Promise<string> {
  const account = await findAccount(tx, owner.ownerEmail);
  if ('existingOwner' in owner) {
    if (!account) throw new OwnerRefused('no account');
    return account.userId;
  }
  if (account) return withPassword(account, owner.ownerPassword);
  // Only the length is checked: the operator chose the password, often for a test, and the owner can change it later.
  if (!isPossiblePassword(owner.ownerPassword)) throw new OwnerRefused('password length');
  const made = await createUser(tx, {
    email: owner.ownerEmail,
    password: owner.ownerPassword,
    createdBy: 'command-line',
  });
  // If a concurrent call has created the account, it is treated like any existing account.
  return made ?? withPassword((await findAccount(tx, owner.ownerEmail)) as Account, owner.ownerPassword);
}

async function withPassword(account: Account, password: string): Promise<string> {
  if (!isPossiblePassword(password) || !(await isPassword(password, account.passwordHash)))
    throw new OwnerRefused('wrong password', account);
  return account.userId;
}
