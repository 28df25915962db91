export interface Option {
  description: string;
  /** Placeholder of the value in the help: --store W. An option without one is a flag: --no-pay. */
  value?: string;
  required?: boolean;
  /** May be given several times. */
  multiple?: boolean;
  choices?: string[];
}

export type Values = Record<string, string | string[] | boolean | undefined>;

/** One command of the command line. What run() returns is printed: as JSON with --json, otherwise as text. */
export interface Command {
  summary: string;
  /** The text that the help shows after the summary. */
  details?: string;
  options: Record<string, Option>;
  example: string;
  run(values: Values, output?: { json: boolean }): Promise<unknown>;
  /** Formats the result as text. Default: one line per field. */
  describe?(answer: never): string;
}

/** An error that the person at the keyboard can correct. It is printed without a stack trace. */
export class UsageError extends Error {
  /** Stable, for scripts: printed with --json. */
  readonly code: string;

  constructor(message: string, { code = 'invalid_usage', cause }: { code?: string; cause?: unknown } = {}) {
    super(message, { cause });
    this.code = code;
  }
}

/** Accepts digits only: other forms that JavaScript reads as numbers, such as 1e3 or 0x10, are more likely typing errors. */
export function wholeNumber(option: string, text: string, max: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > max) throw new UsageError(`--${option} must be a whole number from 1 to ${max}`);
  return number;
}

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration such as 90s, 10m, 2h or 1d. */
export function duration(option: string, text: string): number {
  const [, count, unit] = /^(\d{1,9}(?:\.\d{1,9})?)([smhd])$/.exec(text) ?? [];
  const milliseconds = Number(count ?? 0) * (UNITS[unit ?? ''] ?? 0);
  if (milliseconds < 1)
    throw new UsageError(`--${option} must be a duration such as 90s, 10m or 2h, not "${text}"`);
  return milliseconds;
}

/** Milliseconds between two events of a rate such as 2/s, 30/m or 100/h. */
export function intervalOfRate(option: string, text: string): number {
  const [, count, unit] = /^(\d{1,9}(?:\.\d{1,9})?)\/([smh])$/.exec(text) ?? [];
  const milliseconds = (UNITS[unit ?? ''] ?? 0) / Number(count ?? 0);
  if (!Number.isFinite(milliseconds) || milliseconds < 1)
    throw new UsageError(`--${option} must be a rate such as 2/s, 30/m or 100/h, not "${text}"`);
  return milliseconds;
}

/** Rows as columns of equal width, under their headings. */
export function table(headings: string[], rows: string[][]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]!.length)),
  );
  return [headings, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
