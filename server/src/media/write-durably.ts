import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { StorageUnavailable } from './storage.js';

/** Other users of the machine must not be able to read uploads. */
export const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

export type CreateFile = (path: string, options: { mode: number }) => Writable;

/** Thrown if the client disconnected before it had sent the whole body. */
export class IncompleteUpload extends Error {}

/**
 * Writes to a temporary file in the folder of `path`, flushes it and renames it to `path`. An interrupted write leaves
 * `path` unchanged, and a finished one survives a power failure.
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
    // If the disk fails, the removal may fail too. The temporary file of an upload is then removed when the upload is
    // cleaned up.
    await rm(temporary, { force: true }).catch(() => {});
    throw asStorageError(error);
  }
}

/**
 * Does not use `pipeline`, which would destroy the source when the disk fails. The source of an upload is the request,
 * and its connection is still needed to send the error.
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
    // A file that is still being opened would otherwise be created after it has been removed.
    if (!file.closed) await new Promise((resolve) => file.once('close', resolve));
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

/**
 * Converts errors of the file system, which name the failed system call, to StorageUnavailable. All others are returned
 * unchanged.
 */
export function asStorageError(error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof IncompleteUpload || syscall === undefined) return error;
  return new StorageUnavailable(error, code === 'ENOSPC' || code === 'EDQUOT');
}
