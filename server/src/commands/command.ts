export interface Option {
  description: string;
  /** What stands for the value in the help: --store W. Without it the option is there or not: --no-pay. */
  value?: string;
  required?: boolean;
  /** May be given several times. */
  multiple?: boolean;
  choices?: string[];
}

export type Values = Record<string, string | string[] | boolean | undefined>;

/** One command of the command line. What run() answers is printed: as JSON with --json, else in words. */
export interface Command {
  summary: string;
  options: Record<string, Option>;
  example: string;
  run(values: Values): Promise<unknown>;
  /** The answer for a person; without it the answer is shown field by field. */
  describe?(answer: never): string;
}

/** Something the person at the keyboard can mend: shown without a stack trace. */
export class UsageError extends Error {}

/** Written in digits: what else JavaScript takes for a number, 1e3 or 0x10, is more likely a slip. */
export function wholeNumber(option: string, text: string, most: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > most)
    throw new UsageError(`--${option} must be a whole number from 1 to ${most}`);
  return number;
}
