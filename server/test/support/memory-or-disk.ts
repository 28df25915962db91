import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/**
 * Returns a folder in memory if it has enough space, otherwise the temporary folder. In memory, copying a database
 * takes only 14–28 ms. In a container, /dev/shm often has only 64 MB, which is too little for PostgreSQL.
 */
export function memoryOrDisk(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (bavail * bsize > 1e9) return '/dev/shm';
  } catch {
    // /dev/shm does not exist on macOS.
  }
  return tmpdir();
}
