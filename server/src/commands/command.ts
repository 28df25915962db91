export interface Option {
  description: string;
  /** The placeholder for the value in the help, such as W in --store W. An option without a placeholder is a flag. */
  value?: string;
  required?: boolean;
  /** Whether the option may be given several times. */
  multiple?: boolean;
  choices?: string[];
}

export type Values = Record<string, string | string[] | boolean | undefined>;

/** One command of the command line. The result of run() is printed as JSON with --json, otherwise as text. */
export interface Command {
  summary: string;
  /** Shown in the help after the summary. */
  details?: string;
  options: Record<string, Option>;
  example: string;
  run(values: Values, output?: { json: boolean }): Promise<unknown>;
  /** Formats the result as text. Default: one line per field. */
  describe?(answer: never): string;
}

/** An error that the user can correct. It is printed without a stack trace. */
export class UsageError extends Error {
  /** A stable code for scripts, printed with --json. */
  readonly code: string;

  constructor(message: string, { code = 'invalid_usage', cause }: { code?: string; cause?: unknown } = {}) {
    super(message, { cause });
    this.code = code;
  }
}

/** Accepts digits only. Other notations that JavaScript accepts, such as 1e3 or 0x10, are probably typing errors. */
export function wholeNumber(option: string, text: string, max: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > max) throw new UsageError(`--${option} must be a whole number from 1 to ${max}`);
  return number;
}

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns the milliseconds of a duration such as 90s, 10m, 2h or 1d. */
export function duration(option: string, text: string): number {
  const [, count, unit] = /^(\d{1,9}(?:\.\d{1,9})?)([smhd])$/.exec(text) ?? [];
  const milliseconds = Number(count ?? 0) * (UNITS[unit ?? ''] ?? 0);
  if (milliseconds < 1)
    throw new UsageError(`--${option} must be a duration such as 90s, 10m or 2h, not "${text}"`);
  return milliseconds;
}

/** Returns the interval in milliseconds for a rate such as 2/s, 30/m or 100/h. */
export function intervalOfRate(option: string, text: string): number {
  const [, count, unit] = /^(\d{1,9}(?:\.\d{1,9})?)\/([smh])$/.exec(text) ?? [];
  const milliseconds = (UNITS[unit ?? ''] ?? 0) / Number(count ?? 0);
  if (!Number.isFinite(milliseconds) || milliseconds < 1)
    throw new UsageError(
      `--${option} must be a rate of at most 1000/s, such as 2/s, 30/m or 100/h, not "${text}"`,
    );
  return milliseconds;
}

/** Formats rows as aligned columns under their headings. */
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
