import { readAccentColor } from '../stores/accent.js';
import { setAccentColor } from '../stores/stores.js';
import { type Command, UsageError } from './command.js';
import { withDatabase } from './connect.js';
import { requireStore, storeOption } from './find-store.js';

export const command: Command = {
  summary: 'Set the color of the links and buttons in a shop',
  details: 'A color that is hard to read is darkened on light pages and lightened on dark ones.',
  options: {
    store: storeOption,
    color: {
      value: 'C',
      description: 'Six hexadecimal digits, for example c2410c. "none" restores the color of the platform',
      required: true,
    },
  },
  example: 'feira store accent --store demo-store --color c2410c',
  async run(values) {
    const given = String(values.color);
    const color = given === 'none' ? null : readAccentColor(given);
    if (color === undefined)
      throw new UsageError(
        `--color must be six hexadecimal digits such as 1a7f5a, or "none", not "${given}"`,
      );
    return withDatabase(async (db) => {
      const { workspaceId } = await requireStore(db, String(values.store));
      await setAccentColor(db.system('command').autocommit, workspaceId, color);
      return { workspaceId, accentColor: color };
    });
  },
};
