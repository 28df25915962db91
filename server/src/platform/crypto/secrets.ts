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

const LEAST_BYTES = 32;
/** Random hexadecimal digits of that length practically always have more; a placeholder such as aaaa… has fewer. */
const LEAST_DISTINCT = 8;

/** What is wrong with a secret, as the end of a sentence; undefined when it can be used. */
export function weaknessOf(secret: string): string | undefined {
  const bytes = Buffer.byteLength(secret);
  if (bytes < LEAST_BYTES) return `has ${bytes} bytes; at least ${LEAST_BYTES} are required`;
  if (new Set(secret).size < LEAST_DISTINCT) return 'repeats a few characters and can be guessed';
  return undefined;
}

/** The secret in the data folder. The first start makes it; every later one must find it whole. */
export function keptSecret(dataFolder: string): { secret: string } | { fault: string } {
  const file = join(dataFolder, 'secret');
  let secret: string;
  try {
    mkdirSync(dataFolder, { recursive: true });
    if (!existsSync(file)) create(file, randomBytes(32).toString('hex'));
    secret = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code;
    return {
      fault: `FEIRA_DATA (${dataFolder}) is not a folder that this account can read and write (${why}). Change its permissions, free disk space, or set FEIRA_DATA to another folder`,
    };
  }
  const weakness = weaknessOf(secret);
  if (weakness === undefined) return { secret };
  return {
    fault: `The secret in ${file} ${weakness}. Restore the file from a backup. Without one, delete it: the next start makes a new secret, and order links, open forms and webhook secrets made with the lost one stop working`,
  };
}

/**
 * A full disk or a power cut must not leave a file that is there but empty: it is written beside, flushed, and only
 * then given its name. A link, unlike a rename, never replaces the file of another process that started first.
 */
function create(file: string, secret: string): void {
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
