import { OwnerRefused } from '../accounts/owners.js';
import { MIN_PASSWORD } from '../accounts/password-rules.js';
import { type Account, findAccount, isEmail } from '../accounts/users.js';
import type { Share } from '../platform/db/share.js';
import { createStore, type NewStore } from '../stores/stores.js';
import { type Command, UsageError, type Values } from './command.js';
import { withDatabase } from './connect.js';
import { readOwnerPassword } from './read-password.js';

interface Answer {
  workspaceId: string;
  slug: string;
  /** The existing account that got the store, if --existing-owner was given. */
  owner?: { email: string; createdAt: string; createdBy: string; emailVerified: boolean };
}

export const command: Command = {
  summary: 'Create a store, for a new owner or for an existing account',
  details:
    'The password is read from --owner-password, from standard input, or from the variable FEIRA_OWNER_PASSWORD. Prefer the\nlast two: options are visible in the process list and in the shell history.',
  options: {
    name: { value: 'N', description: 'Name of the store', required: true },
    'owner-email': { value: 'E', description: 'E-mail address that the owner signs in with', required: true },
    'owner-password': {
      value: 'P',
      description: `Password of a new owner (${MIN_PASSWORD} to 200 characters) or of the existing account; "-" reads it from standard input`,
    },
    'owner-password-stdin': { description: 'Read the password from the first line of standard input' },
    'existing-owner': {
      description: 'Give the store to the existing account of --owner-email. Its password is not needed',
    },
    'contact-email': {
      value: 'E',
      description: 'E-mail that apps and buyers see (default: the e-mail of the owner)',
    },
  },
  example:
    'feira store create --name "Loja da Ana" --owner-email ana@loja.example --owner-password-stdin < password.txt',
  async run(values): Promise<Answer> {
    const store = await storeOf(values);
    return withDatabase(async (db) => {
      const made = await create(db.system('command'), store);
      if (!('existingOwner' in store)) return made;
      const account = (await findAccount(db.system('command'), store.ownerEmail)) as Account;
      const { email, createdAt, createdBy } = account;
      return {
        ...made,
        owner: { email, createdAt, createdBy: createdBy ?? 'unknown', emailVerified: false },
      };
    });
  },
  describe({ workspaceId, slug, owner }: Answer): string {
    const lines = [`workspaceId  ${workspaceId}`, `slug         ${slug}`];
    if (owner)
      lines.push(`The store belongs to ${owner.email} (account ${origin(owner.createdBy, owner.createdAt)})`);
    return lines.join('\n');
  },
};

async function storeOf(values: Values): Promise<NewStore> {
  const common = {
    name: named(values.name),
    ownerEmail: email('owner-email', values['owner-email']),
    contactEmail:
      values['contact-email'] === undefined ? undefined : email('contact-email', values['contact-email']),
  };
  if (values['existing-owner']) {
    if (values['owner-password'] !== undefined || values['owner-password-stdin'])
      throw new UsageError('Use either a password or --existing-owner, not both');
    return { ...common, existingOwner: true };
  }
  const password = await readOwnerPassword(values);
  if (password === undefined)
    throw new UsageError(
      '--owner-password is missing. Alternatives: --owner-password-stdin, or --existing-owner to give the store to an existing account',
    );
  return { ...common, ownerPassword: password };
}

async function create(db: Share, store: NewStore): Promise<{ workspaceId: string; slug: string }> {
  try {
    return await db.transaction((tx) => createStore(tx, store));
  } catch (error) {
    if (error instanceof OwnerRefused)
      throw new UsageError(explain(error, store.ownerEmail), { code: 'owner_refused' });
    throw error;
  }
}

function explain({ reason, account }: OwnerRefused, ownerEmail: string): string {
  if (reason === 'no account')
    return `No account for ${ownerEmail} exists. Leave out --existing-owner and give --owner-password to create it`;
  if (reason === 'password length' || !account)
    return `The password must have ${MIN_PASSWORD} to 200 characters`;
  return [
    `An account for ${account.email} exists (${origin(account.createdBy, account.createdAt)}), and the given password is not its password.`,
    'No store was created. Ask the owner whether the account is theirs. If it is, pass its password, or pass',
    '--existing-owner instead of a password to give the store to that account.',
  ].join('\n');
}

/** E-mails are not verified, so the operator must see how the account was created. */
function origin(createdBy: string | null, createdAt: string): string {
  const day = createdAt.slice(0, 16).replace('T', ' ');
  if (createdBy === 'sign-up') return `created by sign-up at /partners on ${day} UTC, e-mail not verified`;
  if (createdBy === 'command-line') return `created on the command line on ${day} UTC`;
  return `created on ${day} UTC, origin not recorded`;
}

function named(value: unknown): string {
  const name = String(value).trim();
  if (name === '' || name.length > 255) throw new UsageError('--name must have 1 to 255 characters');
  return name;
}

function email(option: string, value: unknown): string {
  const address = String(value).trim();
  if (!isEmail(address)) throw new UsageError(`--${option} "${address}" is not an e-mail address`);
  return address;
}
