import { readConfig } from '../platform/config.js';
import type { PlannedMigration } from '../platform/db/plan-migrations.js';
import { type Command, table } from './command.js';
import { connectAndMigrate, connectAndPlan } from './connect.js';

type Answer = { applied: string[] } | { pending: PlannedMigration[] };

export const command: Command = {
  summary: 'Apply the migrations that the database lacks',
  details:
    'The server also applies them when it starts. Other commands never do. With --plan nothing is applied: the output shows\nthe tables that each missing migration locks, and whether writes to them would have to wait.',
  options: { plan: { description: 'Show what would be applied, and the locks it takes' } },
  example: 'feira migrate --plan',
  async run({ plan }): Promise<Answer> {
    const config = readConfig({}, { existing: true });
    if (plan) return { pending: await connectAndPlan(config) };
    const { applied, close } = await connectAndMigrate(config);
    await close();
    return { applied };
  },
  describe(answer: Answer): string {
    if ('pending' in answer) return describePlan(answer.pending);
    return answer.applied.length === 0
      ? 'The database is up to date.'
      : `Applied:\n${answer.applied.map((name) => `  ${name}`).join('\n')}`;
  },
};

function describePlan(pending: PlannedMigration[]): string {
  if (pending.length === 0) return 'The database is up to date.';
  const rows = pending.flatMap(({ name, locks }) =>
    locks.length === 0
      ? [[name, '-', 'none', '', 'continue']]
      : locks.map(({ table: locked, lock, rows: count, blocks }) => [
          name,
          locked,
          lock,
          count === null ? 'unknown' : String(count),
          blocks === undefined ? effectOf(lock) : 'SEE BELOW',
        ]),
  );
  const reasons = pending.flatMap(({ name, locks }) =>
    locks.flatMap(({ table: locked, blocks }) =>
      blocks === undefined ? [] : [`${name}${locked === 'unknown' ? '' : `, table ${locked}`}: ${blocks}.`],
    ),
  );
  const lines = [table(['MIGRATION', 'TABLE', 'LOCK', 'ROWS', 'WRITERS'], rows)];
  if (reasons.length > 0) lines.push('', ...new Set(reasons));
  return lines.join('\n');
}

/** Describes the effect on writers. These two locks do not conflict with those of INSERT, UPDATE and DELETE. */
function effectOf(lock: string): string {
  return ['share update exclusive', 'row exclusive'].includes(lock) ? 'continue' : 'wait briefly';
}
