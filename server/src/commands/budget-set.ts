import { setTimeout as wait } from 'node:timers/promises';
import { setBudget } from '../oauth/budget.js';
import { CACHED_MS } from '../oauth/credentials.js';
import { type Command, wholeNumber } from './command.js';
import { withDatabase } from './connect.js';
import { findCredential } from './token-issue.js';

const MOST = 1_000_000;

export const command: Command = {
  summary: 'Arrange a larger volume for one store and app (120 calls a minute without it)',
  options: {
    store: { value: 'W', description: 'Store (workspaceId)', required: true },
    'client-id': { value: 'C', description: 'App', required: true },
    'per-minute': { value: 'N', description: 'Calls in any 60 seconds', required: true },
  },
  example: 'feira budget set --store 0192… --client-id app_… --per-minute 600',
  async run(values) {
    const perMinute = wholeNumber('per-minute', String(values['per-minute']), MOST);
    return withDatabase(async (db) => {
      const { workspaceId, clientId } = await findCredential(
        db.system('command'),
        String(values.store),
        String(values['client-id']),
      );
      await setBudget(db.store(workspaceId).autocommit, workspaceId, clientId, perMinute);
      // The notification takes milliseconds, but only after this long can no process still act on the old number.
      await wait(CACHED_MS);
      return { workspaceId, clientId, perMinute };
    });
  },
};
