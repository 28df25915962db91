import { readConfig } from '../platform/config.js';
import type { Command } from './command.js';
import { connect } from './connect.js';

export const command: Command = {
  summary: 'Apply the migrations that are missing (every other command does so too)',
  options: {},
  example: 'feira migrate',
  async run() {
    const connected = await connect(readConfig());
    await connected.close();
    return { applied: connected.applied };
  },
  describe: ({ applied }: { applied: string[] }) =>
    applied.length === 0
      ? 'The database is up to date.'
      : `Applied:\n${applied.map((name) => `  ${name}`).join('\n')}`,
};
