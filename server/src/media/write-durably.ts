import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { StorageUnavailable } from './storage.js';

/** Other accounts of the machine have no business with uploads. */
export const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

export type CreateFile = (path: string, options: { mode: number }) => Writable;

/** The client went away before it had sent everything. */
export class IncompleteUpload extends Error {}

/**
 * Writes to a temporary file beside, flushes it and renames it: an interrupted upload leaves nothing, a finished one
 * survives a power cut.
 */
export async function writeDurably(
  path: string,
  bytes: Readable | Buffer,
  createFile: CreateFile,
): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.part`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
    await copy(
      bytes instanceof Readable ? bytes : Readable.from([bytes]),
      createFile(temporary, { mode: FILE_MODE }),
    );
    await flush(temporary);
    await rename(temporary, path);
    await flush(dirname(path));
  } catch (error) {
    // On a disk that fails, removing may fail as well; then the clean-up of the upload removes it later.
    await rm(temporary, { force: true }).catch(() => {});
    throw asStorageError(error);
  }
}

/**
 * Not `pipeline`: when the disk fails it destroys the source, which is the request, and with it the connection on which
 * the error must be answered.
 */
async function copy(source: Readable, file: Writable): Promise<void> {
  const received = finished(source, { writable: false }).catch((error: unknown) => {
    throw new IncompleteUpload('The request ended before its body was complete', { cause: error });
  });
  const written = finished(file);
  source.pipe(file);
  try {
    await Promise.all([received, written]);
  } catch (error) {
    source.unpipe(file);
    file.destroy();
    throw error;
  }
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Errors of the file system name the call that failed; all others are left as they are. */
export function asStorageError(error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof IncompleteUpload || syscall === undefined) return error;
  return new StorageUnavailable(error, code === 'ENOSPC' || code === 'EDQUOT');
}
