import { type ListedStore, listStores } from '../stores/queries.js';
import { type Command, table } from './command.js';
import { withDatabase } from './connect.js';

export const command: Command = {
  summary: 'List all stores, oldest first',
  options: {},
  example: 'feira store list',
  run: () => withDatabase(async (db) => ({ stores: await listStores(db.system('command')) })),
  describe: ({ stores }: { stores: ListedStore[] }) =>
    stores.length === 0
      ? 'There are no stores. "feira store create" creates one.'
      : table(
          ['SLUG', 'WORKSPACE ID', 'NAME', 'OWNER', 'CREATED'],
          stores.map(({ slug, workspaceId, name, ownerEmail, createdAt }) => [
            slug,
            workspaceId,
            name,
            ownerEmail,
            createdAt.slice(0, 10),
          ]),
        ),
};
