import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const MIN_BYTES = 32;
/**
 * A random hexadecimal string of 32 characters almost always has at least this many distinct characters. A placeholder
 * such as aaaa… has fewer.
 */
const MIN_DISTINCT_CHARACTERS = 8;
const NEW_SECRET =
  'creates a new secret, and order links, open forms and webhook secrets created with the old secret stop working';

/** Returns what is wrong with a secret, worded as the end of a sentence, or undefined if it can be used. */
export function weaknessOf(secret: string): string | undefined {
  const bytes = Buffer.byteLength(secret);
  if (bytes < MIN_BYTES) return `has ${bytes} bytes; at least ${MIN_BYTES} are required`;
  if (new Set(secret).size < MIN_DISTINCT_CHARACTERS)
    return 'consists of a few repeated characters and can be guessed';
  return undefined;
}

/**
 * Reads the secret from the data folder. A missing file is created, or is a fault if `create` is false. A damaged file
 * is always a fault.
 */
export function readSecret(dataFolder: string, create: boolean): { secret: string } | { fault: string } {
  const file = join(dataFolder, 'secret');
  let secret: string;
  try {
    if (create) mkdirSync(dataFolder, { recursive: true });
    if (!existsSync(file)) {
      if (!create)
        return {
          fault: `The secret file ${file} is missing. Restore it from a backup, or set FEIRA_SECRET to the secret of the server. Otherwise the next start ${NEW_SECRET}`,
        };
      write(file, randomBytes(32).toString('hex'));
    }
    secret = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code;
    return {
      fault: `FEIRA_DATA (${dataFolder}) cannot be read and written by this account (${why}). Change the permissions of the folder, free disk space, or set FEIRA_DATA to another folder`,
    };
  }
  const weakness = weaknessOf(secret);
  if (weakness === undefined) return { secret };
  return {
    fault: `The secret in ${file} ${weakness}. Restore the file from a backup. If there is none, delete the file: the next start then ${NEW_SECRET}`,
  };
}

/**
 * A full disk or a power failure must not leave an empty file: the secret is written to a temporary file, flushed,
 * and then linked to its name. Unlike a rename, a link never replaces the file of another process that started first.
 */
function write(file: string, secret: string): void {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(temporary, secret, { flag: 'wx', mode: 0o600, flush: true });
    linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  const folder = openSync(dirname(file), 'r');
  fsyncSync(folder);
  closeSync(folder);
}
