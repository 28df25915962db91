import { readConfig } from '../platform/config.js';
import type { Command } from './command.js';
import { connectAndMigrate } from './connect.js';

export const command: Command = {
  summary: 'Apply the migrations that the database lacks',
  details: 'The server applies them when it starts. Other commands never do.',
  options: {},
  example: 'feira migrate',
  async run() {
    const { applied, close } = await connectAndMigrate(readConfig({}, { existing: true }));
    await close();
    return { applied };
  },
  describe: ({ applied }: { applied: string[] }) =>
    applied.length === 0
      ? 'The database is up to date.'
      : `Applied:\n${applied.map((name) => `  ${name}`).join('\n')}`,
};
