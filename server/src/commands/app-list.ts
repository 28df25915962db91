import { type AppRecord, listApps } from '../oauth/apps.js';
import { type Command, table } from './command.js';
import { withDatabase } from './connect.js';

export const command: Command = {
  summary: 'List all apps, oldest first',
  options: {},
  example: 'feira app list',
  run: () => withDatabase(async (db) => ({ apps: await listApps(db.system('command')) })),
  describe: ({ apps }: { apps: AppRecord[] }) =>
    apps.length === 0
      ? 'There are no apps. "feira app create" creates one.'
      : table(
          ['CLIENT ID', 'NAME', 'REDIRECT URIS', 'CREATED'],
          apps.map(({ clientId, name, redirectUris, createdAt }) => [
            clientId,
            name,
            redirectUris.join(' '),
            createdAt.slice(0, 10),
          ]),
        ),
};
