import { createApp } from '../oauth/apps.js';
import { redirectUriFault } from '../oauth/redirect-uris.js';
import { type Command, UsageError } from './command.js';
import { withDatabase } from './connect.js';

export const command: Command = {
  summary: 'Register an app of an integrator; its secret is shown once',
  options: {
    name: { value: 'N', description: 'Name that merchants see on the authorization screen', required: true },
    'redirect-uri': {
      value: 'U',
      description: 'Where the merchant is sent back to; may be given several times',
      required: true,
      multiple: true,
    },
  },
  example: 'feira app create --name "My ERP" --redirect-uri https://erp.example/callback',
  async run(values) {
    const name = String(values.name).trim();
    if (name === '' || name.length > 255) throw new UsageError('--name must have 1 to 255 characters');
    const redirectUris = [values['redirect-uri']].flat() as string[];
    for (const uri of redirectUris) {
      const fault = redirectUriFault(uri);
      if (fault) throw new UsageError(`--redirect-uri "${uri}" ${fault}`);
    }
    return withDatabase((db) => createApp(db.autocommit, { name, redirectUris }));
  },
};
