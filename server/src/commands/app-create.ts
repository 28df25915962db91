import { appNameFault, normalizedAppName } from '../oauth/app-names.js';
import { createApp } from '../oauth/apps.js';
import { MAX_REDIRECT_URIS, redirectUriFault } from '../oauth/redirect-uris.js';
import { REGISTRATION_TEXTS } from '../oauth/registration-texts.js';
import { type Command, UsageError } from './command.js';
import { withDatabase } from './connect.js';

const TEXTS = REGISTRATION_TEXTS.en;

export const command: Command = {
  summary: 'Register an app of an integrator',
  details: 'Prints the client id and the client secret. The secret is shown only this once.',
  options: {
    name: { value: 'N', description: 'Name that merchants see on the authorization screen', required: true },
    'redirect-uri': {
      value: 'U',
      description: 'Address that merchants return to after authorization; repeat the option for several',
      required: true,
      multiple: true,
    },
  },
  example: 'feira app create --name "My ERP" --redirect-uri https://erp.example/callback',
  async run(values) {
    const name = normalizedAppName(String(values.name));
    const nameFault = appNameFault(name);
    // The rules `ours` and `script` do not apply to the operator, who may register the platform's own apps and names in
    // other alphabets.
    if (nameFault && nameFault !== 'ours' && nameFault !== 'script')
      throw new UsageError(`--name ${TEXTS.name[nameFault]}`);
    const redirectUris = [...new Set([values['redirect-uri']].flat() as string[])];
    if (redirectUris.length > MAX_REDIRECT_URIS) throw new UsageError(TEXTS.tooManyUris);
    for (const uri of redirectUris) {
      const fault = redirectUriFault(uri);
      if (fault) throw new UsageError(`--redirect-uri "${uri}" ${TEXTS.uri[fault]}`);
    }
    return withDatabase((db) => createApp(db.system('command').autocommit, { name, redirectUris }));
  },
};
