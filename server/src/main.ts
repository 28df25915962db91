import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Command, type Option, UsageError, type Values } from './commands/command.js';
import { ConfigError } from './platform/config.js';

// Loaded when called for: the whole server takes half a second to import, a command a tenth.
const COMMANDS: Record<string, () => Promise<{ command: Command }>> = {
  serve: () => import('./commands/serve.js'),
  'store create': () => import('./commands/store-create.js'),
  'store limits': () => import('./commands/store-limits.js'),
  'app create': () => import('./commands/app-create.js'),
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

/** The command line: words that name a command, then its options. */
export async function main(args: string[]): Promise<void> {
  try {
    await run(args);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ConfigError)) throw error;
    process.stderr.write(`feira: ${error.message}\n`);
    process.exitCode = 2;
  }
}

async function run(args: string[]): Promise<void> {
  if (args[0] === 'help') return run([...args.slice(1), '--help']);
  if (args[0] === '--version') return tellVersion(args.includes('--json'));
  const found = findCommand(args);
  if (!found) return offerHelp(args);
  const { command } = await (COMMANDS[found.name] as () => Promise<{ command: Command }>)();
  const { json, help, ...values } = readOptions(found.name, command, found.rest);
  if (help) return void process.stdout.write(helpFor(found.name, command));
  const answer = await command.run(values as Values);
  if (answer === undefined) return;
  const text = json ? JSON.stringify(answer) : (command.describe ?? inWords)(answer as never);
  process.stdout.write(`${text}\n`);
}

function findCommand(args: string[]): { name: string; rest: string[] } | undefined {
  for (const words of [2, 1]) {
    const name = args.slice(0, words).join(' ');
    if (Object.hasOwn(COMMANDS, name)) return { name, rest: args.slice(words) };
  }
  return undefined;
}

async function offerHelp(args: string[]): Promise<void> {
  const asked = args.filter((arg) => !['--help', '-h', 'help', '--json'].includes(arg));
  const matching = Object.keys(COMMANDS).filter(
    (name) => asked.length === 0 || name.startsWith(`${asked[0]} `),
  );
  if (asked.length > 0 && (matching.length === 0 || asked.length > 1)) {
    throw new UsageError(`"${asked.join(' ')}" is not a command; "feira --help" lists them`);
  }
  const lines = await Promise.all(
    matching.map(
      async (name) =>
        `  ${name.padEnd(14)} ${(await (COMMANDS[name] as () => Promise<{ command: Command }>)()).command.summary}`,
    ),
  );
  process.stdout.write(
    `feira: the partner API of an online-store platform\n\n${lines.join('\n')}\n\n"feira <command> --help" tells more. Every command takes --json. "feira --version" tells the version.\n`,
  );
}

function tellVersion(json: boolean): void {
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
    throw new UsageError(
      `${(error as Error).message.split('. ')[0]}; "feira ${name} --help" lists the options`,
    );
  }
  if (values.help) return values;
  for (const [option, { required, choices }] of Object.entries(command.options)) {
    if (required && values[option] === undefined)
      throw new UsageError(`--${option} is missing\n\n${usage(name, command)}`);
    // Taken for what is unset, it would quietly mean the default.
    if ([values[option]].flat().some((value) => typeof value === 'string' && value.trim() === ''))
      throw new UsageError(`--${option} needs a value\n\n${usage(name, command)}`);
    if (choices && values[option] !== undefined && !choices.includes(String(values[option]))) {
      throw new UsageError(`--${option} must be one of ${choices.join(', ')}`);
    }
  }
  return values;
}

function helpFor(name: string, command: Command): string {
  const rows = Object.entries(command.options).map(([name, option]) => {
    const { description, choices } = option;
    return `  ${wordOf(name, option).padEnd(22)} ${description}${choices ? ` (${choices.join(', ')})` : ''}`;
  });
  rows.push(`  ${'--json'.padEnd(22)} Answer in JSON, on one line`);
  return `${command.summary}\n\n${usage(name, command)}\n\n${rows.join('\n')}\n\nExample:\n  ${command.example}\n`;
}

function usage(name: string, command: Command): string {
  const words = Object.entries(command.options).map(([option, described]) => {
    const word = `${wordOf(option, described)}${described.multiple ? ' …' : ''}`;
    return described.required ? word : `[${word}]`;
  });
  return `Usage: feira ${[name, ...words].join(' ')} [--json]`;
}

function wordOf(name: string, { value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

/** Field by field, for a person. */
function inWords(answer: object): string {
  const entries = Object.entries(answer);
  const width = Math.max(...entries.map(([field]) => field.length));
  return entries.map(([field, value]) => `${field.padEnd(width)}  ${String(value)}`).join('\n');
}
