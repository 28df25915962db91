import { createStore } from '../stores/stores.js';
import { isAcceptablePassword, isEmail, MIN_PASSWORD } from '../stores/users.js';
import { type Command, UsageError } from './command.js';
import { withDatabase } from './connect.js';

export const command: Command = {
  summary: 'Make a store; an owner e-mail that exists gets one more',
  options: {
    name: { value: 'N', description: 'Name of the store', required: true },
    'owner-email': { value: 'E', description: 'E-mail the owner signs in with', required: true },
    'owner-password': {
      value: 'P',
      description: 'Password of a new owner, 8 characters or more',
      required: true,
    },
  },
  example:
    'feira store create --name "Loja da Ana" --owner-email ana@loja.example --owner-password "correct horse"',
  async run(values) {
    const store = {
      name: named(values.name),
      ownerEmail: email(values['owner-email']),
      ownerPassword: password(values['owner-password']),
    };
    return withDatabase((db) => db.transaction((tx) => createStore(tx, store)));
  },
};

function named(value: unknown): string {
  const name = String(value).trim();
  if (name === '' || name.length > 255) throw new UsageError('--name must have 1 to 255 characters');
  return name;
}

function email(value: unknown): string {
  const address = String(value).trim();
  if (!isEmail(address)) throw new UsageError(`--owner-email "${address}" is not an e-mail address`);
  return address;
}

function password(value: unknown): string {
  const text = String(value);
  if (!isAcceptablePassword(text))
    throw new UsageError(`--owner-password must have at least ${MIN_PASSWORD} characters`);
  return text;
}
