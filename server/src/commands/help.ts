import type { Command, Option } from './command.js';

export function helpFor(name: string, command: Command): string {
  const rows = Object.entries(command.options).map(([option, described]) => {
    const { description, choices } = described;
    return [nameWithValue(option, described), `${description}${choices ? ` (${choices.join(', ')})` : ''}`];
  });
  rows.push(['--json', 'Print results and errors as JSON, one per line']);
  const width = Math.max(...rows.map(([option]) => option!.length));
  return [
    command.summary,
    ...(command.details === undefined ? [] : ['', command.details]),
    '',
    usage(name, command),
    '',
    ...rows.map(([option, description]) => `  ${option!.padEnd(width)}  ${description}`),
    '',
    `Example:\n  ${command.example}\n`,
  ].join('\n');
}

export function usage(name: string, command: Command): string {
  const words = Object.entries(command.options).map(([option, described]) => {
    const word = `${nameWithValue(option, described)}${described.multiple ? ' …' : ''}`;
    return described.required ? word : `[${word}]`;
  });
  return `Usage: feira ${[name, ...words].join(' ')} [--json]`;
}

export function overview(commands: { name: string; summary: string }[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `feira: the partner API of an online-store platform

${lines.join('\n')}

Run "feira <command> --help" for the options of a command and an example. Every command accepts --json.
Run "feira --version" for the version.
`;
}

function nameWithValue(name: string, { value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}
