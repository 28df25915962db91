import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/**
 * Replaces a file atomically: readers see either the old or the new content. With `durable`, it waits until the content
 * is on the disk.
 */
export async function replaceFile(file: string, content: string, durable: boolean): Promise<void> {
  const temporary = `${file}.${randomUUID()}`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    if (durable) await handle.sync();
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}
