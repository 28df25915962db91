import type { Readable } from 'node:stream';
import { ownerPasswordVariable } from '../platform/config.js';
import { UsageError, type Values } from './command.js';

/** Longer than any password. Limits how much of standard input is read. */
const MAX_BYTES = 4096;

/**
 * Reads the password from --owner-password, from the first line of standard input, or from the environment. The last
 * two exist because an option is visible in the process list and in the shell history.
 */
export async function readOwnerPassword(
  values: Values,
  input: Readable = process.stdin,
): Promise<string | undefined> {
  const given = values['owner-password'];
  const fromInput = given === '-' || values['owner-password-stdin'] === true;
  if (fromInput && given !== undefined && given !== '-')
    throw new UsageError('Use either --owner-password or --owner-password-stdin, not both');
  if (fromInput) return firstLine(input);
  return given === undefined ? ownerPasswordVariable() : String(given);
}

async function firstLine(input: Readable): Promise<string> {
  let text = '';
  for await (const chunk of input) {
    text += chunk;
    if (text.includes('\n') || text.length > MAX_BYTES) break;
  }
  const [line = ''] = text.split(/\r?\n/, 1);
  if (line === '') throw new UsageError('The first line of standard input contains no password');
  return line;
}
