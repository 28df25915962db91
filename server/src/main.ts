import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Command, UsageError, type Values } from './commands/command.js';
import { helpFor, overview, usage } from './commands/help.js';
import { ConfigError, NoDatabaseError } from './platform/config-errors.js';
import { isTemporary } from './platform/db/unavailable.js';

// Each command is imported only when it is used, because importing all of them takes half a second.
const COMMANDS: Record<string, () => Promise<{ command: Command }>> = {
  serve: () => import('./commands/serve.js'),
  listen: () => import('./commands/listen.js'),
  'store create': () => import('./commands/store-create.js'),
  'store list': () => import('./commands/store-list.js'),
  'store accent': () => import('./commands/store-accent.js'),
  'store limits': () => import('./commands/store-limits.js'),
  'app create': () => import('./commands/app-create.js'),
  'app list': () => import('./commands/app-list.js'),
  'token issue': () => import('./commands/token-issue.js'),
  'budget set': () => import('./commands/budget-set.js'),
  buy: () => import('./commands/buy.js'),
  'gateway pay': async () => ({ command: (await import('./commands/gateway.js')).pay }),
  'gateway cancel': async () => ({ command: (await import('./commands/gateway.js')).cancel }),
  'gateway refund': async () => ({ command: (await import('./commands/gateway.js')).refund }),
  'carrier scan': () => import('./commands/carrier-scan.js'),
  simulate: () => import('./commands/simulate.js'),
  migrate: () => import('./commands/migrate.js'),
  doctor: () => import('./commands/doctor.js'),
};

/** Runs the command line: words that name a command, followed by its options. */
export async function main(args: string[]): Promise<void> {
  try {
    await run(args);
  } catch (error) {
    if (args.includes('--json')) return failAsJson(error as Error);
    if (codeOf(error) === undefined) throw error;
    process.stderr.write(`feira: ${(error as Error).message}\n`);
    process.exitCode = 2;
  }
}

/** Prints the error to standard error, so that standard output contains either the result or nothing. */
function failAsJson(error: Error): void {
  const code = codeOf(error) ?? 'internal_error';
  process.stderr.write(`${JSON.stringify({ error: error.message, code })}\n`);
  process.exitCode = 1;
}

/** Returns the code of an error that the user can correct or that is temporary, and undefined for any other error. */
function codeOf(error: unknown): string | undefined {
  if (error instanceof UsageError) return error.code;
  if (error instanceof NoDatabaseError) return 'no_database';
  if (isTemporary(error)) return 'busy';
  return error instanceof ConfigError ? 'invalid_configuration' : undefined;
}

async function run(args: string[]): Promise<void> {
  if (args[0] === 'help') return run([...args.slice(1), '--help']);
  if (args[0] === '--version') return printVersion(args.includes('--json'));
  const found = findCommand(args);
  if (!found) return printOverview(args);
  const command = await load(found.name);
  const { json, help, ...values } = readOptions(found.name, command, found.rest);
  if (help) return void process.stdout.write(helpFor(found.name, command));
  const answer = await command.run(values as Values, { json: json === true });
  if (answer === undefined) return;
  const text = json ? JSON.stringify(answer) : (command.describe ?? fieldByField)(answer as never);
  process.stdout.write(`${text}\n`);
}

function findCommand(args: string[]): { name: string; rest: string[] } | undefined {
  for (const words of [2, 1]) {
    const name = args.slice(0, words).join(' ');
    if (Object.hasOwn(COMMANDS, name)) return { name, rest: args.slice(words) };
  }
  return undefined;
}

async function load(name: string): Promise<Command> {
  return (await COMMANDS[name]!()).command;
}

async function printOverview(args: string[]): Promise<void> {
  const words = args.filter((arg) => !['--help', '-h', 'help', '--json'].includes(arg));
  const matching = Object.keys(COMMANDS).filter(
    (name) => words.length === 0 || name.startsWith(`${words[0]} `),
  );
  if (words.length > 0 && (matching.length === 0 || words.length > 1))
    throw new UsageError(`"${words.join(' ')}" is not a command. "feira --help" lists the commands.`);
  const commands = matching.map(async (name) => ({ name, summary: (await load(name)).summary }));
  process.stdout.write(overview(await Promise.all(commands)));
}

function printVersion(json: boolean): void {
  const file = new URL('../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  process.stdout.write(json ? `${JSON.stringify({ version })}\n` : `feira ${version}\n`);
}

function readOptions(name: string, command: Command, args: string[]): Record<string, unknown> {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([option, { value, multiple }]) => [
      option,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), multiple: multiple ?? false },
    ]),
  );
  let values: Record<string, unknown>;
  try {
    values = parseArgs({
      args,
      options: { ...options, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    }).values;
  } catch (error) {
    const reason = (error as Error).message.split('. ')[0];
    throw new UsageError(`${reason}. "feira ${name} --help" lists the options.`);
  }
  if (values.help) return values;
  for (const [option, { required, choices }] of Object.entries(command.options)) {
    if (required && values[option] === undefined)
      throw new UsageError(`--${option} is missing\n\n${usage(name, command)}`);
    // Some commands would ignore an empty value: `serve --port=` would use the default port.
    if ([values[option]].flat().some((value) => typeof value === 'string' && value.trim() === ''))
      throw new UsageError(`--${option} needs a value\n\n${usage(name, command)}`);
    if (choices && values[option] !== undefined && !choices.includes(String(values[option])))
      throw new UsageError(`--${option} must be one of ${choices.join(', ')}`);
  }
  return values;
}

function fieldByField(answer: object): string {
  const entries = Object.entries(answer);
  const width = Math.max(...entries.map(([field]) => field.length));
  return entries.map(([field, value]) => `${field.padEnd(width)}  ${String(value)}`).join('\n');
}
