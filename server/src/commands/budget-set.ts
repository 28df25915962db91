import { setTimeout as wait } from 'node:timers/promises';
import { setBudget } from '../oauth/budget.js';
import { CACHE_MS } from '../oauth/credentials.js';
import { type Command, wholeNumber } from './command.js';
import { withDatabase } from './connect.js';
import { clientOption, findCredential, storeOption } from './find-store.js';

const MOST = 1_000_000;

export const command: Command = {
  summary: 'Set how many calls a minute one app may make to one store (default 120)',
  options: {
    store: storeOption,
    'client-id': clientOption,
    'per-minute': { value: 'N', description: 'Calls allowed in any 60 seconds', required: true },
  },
  example: 'feira budget set --store demo-store --client-id app_… --per-minute 600',
  async run(values) {
    const perMinute = wholeNumber('per-minute', String(values['per-minute']), MOST);
    return withDatabase(async (db) => {
      const { workspaceId, clientId } = await findCredential(
        db,
        String(values.store),
        String(values['client-id']),
      );
      await setBudget(db.store(workspaceId).autocommit, workspaceId, clientId, perMinute);
      // Processes are notified within milliseconds. A process that misses the notification uses the old limit for up to
      // CACHE_MS, so the command waits until the new limit applies everywhere.
      await wait(CACHE_MS);
      return { workspaceId, clientId, perMinute };
    });
  },
};
